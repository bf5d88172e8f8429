import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, test, type TestContext } from 'node:test';
import { COMMAND_LINE, workflowDirectory } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { terminal, type Terminal } from '../support/processes/terminal.ts';
import { until } from '../support/until.ts';

const CTRL_S = '\x13';
const CTRL_Q = '\x11';

const [SAVE, RESTORE] = ['\x1b[22;2t', '\x1b[23;2t'];
const SET = '\x1b]2;';

/** The title sequences that a terminal has received. */
function titlesIn(screen: string): string[] {
  return screen.split('\x1b').flatMap((text) => {
    const sequence = `\x1b${text}`;
    if (sequence.startsWith(SET)) return sequence.slice(0, sequence.indexOf('\x07') + 1);
    return [SAVE, RESTORE].filter((each) => sequence.startsWith(each));
  });
}

/** A run of steps at a terminal. */
function start(t: TestContext, steps: readonly unknown[], env = {}): Readonly<{ cwd: string; screen: Terminal }> {
  const cwd = workflowDirectory(t, { workflows: { w: { steps } } });
  const command = `echo $$ >pid; exec ${COMMAND_LINE} run w`;
  return { cwd, screen: terminal(t, cwd, 'bash', ['-c', command], { TERM: 'xterm', NO_COLOR: '1', ...env }) };
}

const untilFile = (name: string): string => `until [ -e ${name} ]; do sleep 0.1; done`;

describe('the title of the terminal', { concurrency: 2, ...needs('python3') }, () => {
  test('the title shows the time of a step once a second, from the second second on, and is restored', async (t) => {
    const { screen } = start(t, ['true', { name: 'build', run: 'sleep 4.5' }, 'true']);
    await screen.ended;
    const titles = titlesIn(await screen.shows('succeeded'));
    assert.deepEqual([titles[0], titles.at(-1)], [SAVE, RESTORE]);
    const times = titles.slice(1, -1).map((title) => Number(/^(\d+) s build$/.exec(title.slice(SET.length, -1))?.[1]));
    // A busy machine may be late, but no second is shown twice or too early.
    assert.ok(times.length >= 2 && times.every((time) => time >= 2), titles.join());
    assert.deepEqual(
      times,
      [...new Set(times)].toSorted((one, other) => one - other),
    );
  });

  test('the title shows the oldest running member of a group', async (t) => {
    const members = ['one', 'two'].map((name) => ({ name, run: untilFile(name) }));
    const { cwd, screen } = start(t, [{ parallel: members }]);
    await screen.shows('s one\x07');
    writeFileSync(join(cwd, 'one'), '');
    await screen.shows('s two\x07');
    writeFileSync(join(cwd, 'two'), '');
    await screen.ended;
    assert.equal(titlesIn(await screen.shows('succeeded')).at(-1), RESTORE);
  });

  test('the title is restored after an interruption', async (t) => {
    const { screen } = start(t, [{ name: 'build', run: 'exec sleep 60' }]);
    await screen.shows(' s build\x07');
    screen.type('\x03');
    assert.deepEqual(await screen.ended, { code: null, signal: 'SIGINT' });
    assert.equal(titlesIn(await screen.shows('interrupted')).at(-1), RESTORE);
  });

  test('the title of a dumb terminal is not changed', async (t) => {
    const { screen } = start(t, ['sleep 2.3; echo over'], { TERM: 'dumb', FORCE_COLOR: '1' });
    await screen.ended;
    assert.deepEqual(titlesIn(await screen.shows('succeeded')), []);
  });

  test('a signal is handled while the terminal is stopped (Ctrl-S)', async (t) => {
    // bash reports a child that a signal has terminated, and would wait for the stopped terminal.
    const run = "exec 2>/dev/null; trap 'touch ended; exit 1' TERM; touch started; while :; do sleep 0.1; done";
    const { cwd, screen } = start(t, [run]);
    await until(
      () => existsSync(join(cwd, 'started')),
      () => 'the step has started',
    );
    screen.type(CTRL_S);
    // Long enough for cli to try to write the title.
    await delay(3500);
    process.kill(Number(readFileSync(join(cwd, 'pid'), 'utf8')), 'SIGTERM');
    await until(
      () => existsSync(join(cwd, 'ended')),
      () => 'the step has ended',
    );
    screen.type(CTRL_Q);
    assert.deepEqual(await screen.ended, { code: null, signal: 'SIGTERM' });
  });
});
