import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startOf, thisProcess } from '../../src/journal/holder.ts';
import { StepLock } from '../../src/state/step_lock.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { LINUX } from '../support/processes/shell.ts';

test('of two processes that take a lock at the same time, one that sees the other steps back', LINUX, async (t) => {
  const directory = temporaryDirectory(t);
  const lock = new StepLock(directory, { step: 'step', values: 'values' });
  // The first look at the locks waits for the pipe, until the other process has taken the lock unseen.
  execFileSync('mkfifo', [join(directory, 'step-values.lock.pipe')]);
  const takes = 'exec 3>step-values.lock.pipe; mv ready step-values.lock.other; rm step-values.lock.pipe; exec 3>&-';
  const other = spawn('bash', ['-c', `${takes}; exec sleep 60`], { cwd: directory });
  const ended = once(other, 'exit');
  t.after(() => other.kill('SIGKILL'));
  const { pid } = other;
  assert.ok(pid !== undefined);
  writeFileSync(join(directory, 'ready'), JSON.stringify({ ...thisProcess(), pid, started: startOf(pid) }));
  assert.equal(lock.tryToTake(), false);
  assert.deepEqual(readdirSync(directory), ['step-values.lock.other']);
  other.kill('SIGKILL');
  await ended;
  assert.equal(lock.tryToTake(), true);
});
