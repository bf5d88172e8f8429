import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND, temporaryDirectory } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { isAlive } from '../support/processes/processes.ts';
import { CTRL_C, terminal } from '../support/processes/terminal.ts';
import { until } from '../support/until.ts';

test('a change while a provider asks ends it, and the next run asks again', needs('python3'), async (t) => {
  const ask = 'echo $$ >>pids; read -r -s -p "PIN $(cat src/a)? " pin </dev/tty 2>/dev/tty; echo "$pin"';
  const cwd = temporaryDirectory(t, {
    '.cli/workflow.json': {
      secrets: { PIN: { command: ['bash', '-c', ask] } },
      workflows: { ci: { steps: [{ run: 'echo "$PIN" >>ran', secrets: ['PIN'] }] } },
    },
    'src/a': 'one',
  });
  const lines = (name: string): readonly string[] => readFileSync(join(cwd, name), 'utf8').split('\n').slice(0, -1);
  const [file, ...first] = COMMAND;
  const shown = terminal(t, cwd, file, [...first, 'run', 'ci', '--watch', 'src']);
  await shown.shows('PIN one? ');
  writeFileSync(join(cwd, 'src/a'), 'two');
  await shown.shows('PIN two? ');
  assert.deepEqual(
    lines('pids').map((pid) => isAlive(Number(pid))),
    [false, true],
  );
  shown.type('1234\r');
  await shown.shows('waiting for changes in src');
  assert.deepEqual(lines('ran'), ['1234']);
  // Each run is a session of its own: it asks again.
  writeFileSync(join(cwd, 'src/a'), 'three');
  await shown.shows('PIN three? ');
  shown.type(CTRL_C);
  assert.deepEqual(await shown.ended, { code: null, signal: 'SIGINT' });
  await until(
    () => !lines('pids').some((pid) => isAlive(Number(pid))),
    () => 'no provider is left',
  );
  assert.deepEqual(lines('ran'), ['1234']);
});
