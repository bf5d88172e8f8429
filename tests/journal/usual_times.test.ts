import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli, cliWithAnnouncements, workflowDirectory } from '../support/cli.ts';
import { end, finish, print, start, writeOwnRun } from '../support/runs/journal.ts';

test('steps and a dry run say how long they usually take, from at least two earlier runs', async (t) => {
  const steps = [
    { name: 'first', run: 'sleep 1' },
    { name: 'long', run: 'echo long' },
  ];
  const cwd = workflowDirectory(t, { workflows: { ci: { steps } } });
  for (const hour of ['01', '02']) {
    const at = (minute: string): string => `2026-11-20T${hour}:${minute}:00.000Z`;
    const [first, long] = ['sleep 1', 'echo long'].map((command) => ({ print: print(command), at: at('01') }));
    const records = [start(1, 'first', first), end(1), start(2, 'long', long), end(2, 0, { ms: 120_000 })];
    const id = `20261119-${hour}0000-uuuuu`;
    writeOwnRun(join(cwd, '.cli/runs'), id, { at: at('00') }, ...records, finish({ at: at('05') }));
  }
  const planned = await cli(['run', 'ci', '-n'], { cwd });
  assert.equal(planned.stdout.split('\n').at(-2), 'about 5 min, from the last 2 runs');
  const { stderr } = await cliWithAnnouncements(['run', 'ci'], { cwd, env: { CLI_NO_JOURNAL: undefined } });
  assert.match(stderr, /cli: step 'long' of workflow 'ci' \(usually 2 min\)\n/);
  assert.match(stderr, /cli: step 'long' of workflow 'ci' succeeded, .*\(usually 2 min\)\n/);
});
