import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND_LINE, workflowDirectory } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { screenText } from '../support/processes/screen.ts';
import { terminal, type Terminal } from '../support/processes/terminal.ts';
import { until } from '../support/until.ts';

test('a member of a group without output for 10.0 seconds is shown as running', needs('python3'), async (t) => {
  const wait = 'until [ -e done ]; do sleep 0.5; done';
  const tick = 'until [ -e done ]; do sleep 0.5; echo tick; done';
  const parallel = [
    { name: 'silent', run: wait },
    { name: 'talking', run: tick },
    { name: 'inner', output: 'grouped', parallel: [{ name: 'kept back', run: tick }] },
  ];
  const cwd = workflowDirectory(t, { workflows: { w: { steps: [{ name: 'all', parallel }] } } });
  const screens = ['run w', 'run w --quiet'].map((words) =>
    terminal(t, cwd, 'bash', ['-c', `exec ${COMMAND_LINE} ${words}`], { TERM: 'xterm', NO_COLOR: '1' }),
  );
  const [shown, quiet] = screens;
  assert.ok(shown !== undefined && quiet !== undefined);
  await until(
    async () => (await runningIn(shown)).length === 2,
    () => 'both silent members are shown',
  );
  writeFileSync(join(cwd, 'done'), '');
  await Promise.all(screens.map(({ ended }) => ended));
  assert.deepEqual((await runningIn(shown)).toSorted(), [
    'inner   │ still running, no output for 10.0 s',
    'silent  │ still running, no output for 10.0 s',
  ]);
  assert.deepEqual(await runningIn(quiet), []);
});

async function runningIn(screen: Terminal): Promise<string[]> {
  return screenText(await screen.shows('tick'))
    .split('\n')
    .filter((line) => line.includes('running'));
}
