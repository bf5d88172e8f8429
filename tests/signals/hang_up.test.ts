import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bench, runDetached, step, type Bench } from '../support/processes/bench.ts';
import { commandWith } from '../support/cli.ts';
import { LINUX } from '../support/processes/shell.ts';

const HOOK = 'echo hook >>log';
const LATER = 'echo later >>log';
const RUN = ['workflow', 'run', 'x'];

function interruptible(command: string): object {
  return { error: HOOK, workflows: { x: { steps: [command, LATER] } } };
}

/** Sends SIGHUP to cli when the step is ready; returns the milliseconds until cli has ended. */
async function hangUp(subject: Bench): Promise<number> {
  const { pid, ended } = runDetached(subject, RUN);
  await subject.logged('a ready');
  const start = performance.now();
  process.kill(pid, 'SIGHUP');
  const { code, signal } = await ended;
  assert.deepEqual({ code, signal }, { code: null, signal: 'SIGHUP' });
  assert.deepEqual(subject.survivors(), []);
  return performance.now() - start;
}

/** Wraps a step in a shell that a signal terminates at once. */
const wrapped = (command: string): string => `${command}; true`;

describe('SIGHUP', { concurrency: 4, ...LINUX }, () => {
  test('after SIGHUP a step has time to clean up, even if its shell has ended', async (t) => {
    const subject = bench(t, interruptible(wrapped(step('a', 'cleans up'))));
    await hangUp(subject);
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGHUP', 'a is clean', 'hook']);
  });

  test('processes that ignore SIGHUP receive SIGTERM as soon as the shell of the step has ended', async (t) => {
    const loop = 'echo b ready >>log; while :; do sleep 0.05; done';
    const ignoring = `( trap '' HUP; trap 'echo b got SIGTERM >>log; exit' TERM; ${loop} ) &`;
    const subject = bench(t, interruptible(wrapped(`${ignoring} ${step('a', 'cleans up')}`)));
    await hangUp(subject);
    const log = subject.log();
    assert.deepEqual(log.splice(0, 2).toSorted(), ['a ready', 'b ready']);
    // Both receive their signals at almost the same time.
    assert.deepEqual(log.splice(0, 2).toSorted(), ['a got SIGHUP', 'b got SIGTERM']);
    assert.deepEqual(log, ['a is clean', 'hook']);
  });

  for (const [place, command] of [
    ['while its shell runs', step('a', 'ignores')],
    ['after its shell has ended', wrapped(step('a', 'ignores'))],
  ] as const) {
    test(`processes that remain after SIGHUP receive SIGTERM after five seconds and SIGKILL after ten, ${place}`, async (t) => {
      const subject = bench(t, interruptible(command));
      const took = await hangUp(subject);
      assert.deepEqual(subject.log(), ['a ready', 'a got SIGHUP', 'a got SIGTERM', 'hook']);
      assert.ok(took > 9900, `it took ${took} ms`);
    });
  }
});

describe('two signals', { concurrency: 2, ...LINUX }, () => {
  for (const [first, second] of [
    ['SIGTERM', 'SIGHUP'],
    ['SIGHUP', 'SIGTERM'],
    ['SIGINT', 'SIGTERM'],
  ] as const) {
    test(`${second} right after ${first} counts as the same signal`, async (t) => {
      const subject = bench(t, interruptible(step('a', 'cleans up')));
      const program = `process.once('${first}', () => process.kill(process.pid, '${second}'));`;
      const { pid, ended } = runDetached(subject, RUN, commandWith(subject.cwd, program));
      await subject.logged('a ready');
      process.kill(pid, first);
      const { code, signal } = await ended;
      assert.deepEqual({ code, signal }, { code: null, signal: first });
      assert.deepEqual(subject.log(), ['a ready', `a got ${first}`, 'a is clean', 'hook']);
      assert.deepEqual(subject.document(), {
        workflow: 'x',
        steps: [{ name: 'step_1', command: step('a', 'cleans up'), exit_code: 3 }],
        error: { command: HOOK, exit_code: 0 },
        success: false,
        interrupted: first,
      });
      assert.deepEqual(subject.survivors(), []);
    });
  }
});
