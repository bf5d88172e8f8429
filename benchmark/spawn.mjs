// The cost of COUNT steps in Node.js alone: a bare loop over child_process.spawn. With PATH, the loop appends a line to
// that file before each step and syncs it, as the record of a run requires.
import { spawn } from 'node:child_process';
import { fdatasyncSync, openSync, writeSync } from 'node:fs';

const [, , count, path] = process.argv;
const descriptor = path === undefined ? undefined : openSync(path, 'w');
const line = `${'x'.repeat(299)}\n`;
const env = { ...process.env };
const ended = (child) => new Promise((resolve) => child.once('exit', resolve));
for (let left = Number(count); left > 0; left -= 1) {
  if (descriptor !== undefined) {
    writeSync(descriptor, line);
    fdatasyncSync(descriptor);
  }
  const shell = ['--norc', '-o', 'pipefail', '-c', '--', 'true'];
  await ended(spawn('/bin/bash', shell, { env, stdio: ['inherit', 2, 2] }));
}
