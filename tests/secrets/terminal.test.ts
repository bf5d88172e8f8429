/* Programs that print secrets, at a terminal: Ctrl-C. catalogue.test.ts and watch.test.ts have those that ask there. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND, workflowDirectory } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { isAlive } from '../support/processes/processes.ts';
import { CTRL_C, terminal } from '../support/processes/terminal.ts';
import { until } from '../support/until.ts';

const ASKS = 'echo $$ >>pids; read -r -s -p "PIN? " pin; echo "$pin"';

for (const [place, isGuarded] of [
  ['before the first command ends the tool', false],
  ['at a step behind a condition interrupts the run, whose hooks ask again', true],
] as const) {
  test(`Ctrl-C while a program asks ${place}`, needs('python3'), async (t) => {
    const step = { ...(isGuarded && { if: 'test 1' }), run: 'touch ran', secrets: ['PIN'] };
    const error = { run: 'echo "error ${#PIN}" >>hook', secrets: ['PIN'] };
    const cwd = workflowDirectory(t, {
      secrets: { PIN: { command: ['bash', '-c', ASKS] } },
      error,
      workflows: { ci: { steps: [step] } },
    });
    const [file, ...first] = COMMAND;
    const shown = terminal(t, cwd, file, [...first, 'run', 'ci']);
    await shown.shows('PIN? ');
    const pids = (): readonly string[] => readFileSync(join(cwd, 'pids'), 'utf8').split('\n').slice(0, -1);
    shown.type(CTRL_C);
    if (isGuarded) {
      await until(
        () => pids().length === 2,
        () => 'the program is started again',
      );
      shown.type('1234\r');
    }
    assert.deepEqual(await shown.ended, { code: null, signal: 'SIGINT' });
    assert.deepEqual([pids().some((pid) => isAlive(Number(pid))), existsSync(join(cwd, 'ran'))], [false, false]);
    assert.equal(existsSync(join(cwd, 'hook')), isGuarded);
    if (isGuarded) assert.equal(readFileSync(join(cwd, 'hook'), 'utf8'), 'error 4\n');
  });
}

test('with --check, programs ask one after the other, and Ctrl-C ends the check', needs('python3'), async (t) => {
  const secrets = Object.fromEntries(
    ['ONE', 'TWO'].map((name) => [name, { command: ['bash', '-c', ASKS.replace('PIN?', `${name}?`)] }]),
  );
  const cwd = workflowDirectory(t, { secrets, workflows: {} });
  const [file, ...first] = COMMAND;
  const whole = terminal(t, cwd, file, [...first, 'secrets', '--check']);
  await whole.shows('ONE? ');
  whole.type('1234\r');
  await whole.shows('TWO? ');
  whole.type('\r');
  await whole.shows("'bash' gave nothing");
  assert.deepEqual(await whole.ended, { code: 1, signal: null });
  const ended = terminal(t, cwd, file, [...first, 'secrets', '--check']);
  await ended.shows('ONE? ');
  ended.type(CTRL_C);
  assert.deepEqual(await ended.ended, { code: null, signal: 'SIGINT' });
  const pids = readFileSync(join(cwd, 'pids'), 'utf8').split('\n').slice(0, -1);
  assert.deepEqual(
    pids.map((pid) => isAlive(Number(pid))),
    [false, false, false],
  );
});
