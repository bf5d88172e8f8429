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

/** Sends SIGHUP to the runner when the step is ready; gives the milliseconds until the runner has ended. */
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

/** A shell that a signal kills at once, around a step. */
const wrapped = (command: string): string => `${command}; true`;

describe('SIGHUP', { concurrency: 4, ...LINUX }, () => {
  test('leaves a step time to clean up after its shell has died of the signal', async (t) => {
    const subject = bench(t, interruptible(wrapped(step('a', 'cleans up'))));
    await hangUp(subject);
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGHUP', 'a is clean', 'hook']);
  });

  test('is followed by SIGTERM for what ignores it, as soon as the shell of the step has ended', async (t) => {
    const loop = 'echo b ready >>log; while :; do sleep 0.05; done';
    const ignoring = `( trap '' HUP; trap 'echo b got SIGTERM >>log; exit' TERM; ${loop} ) &`;
    const subject = bench(t, interruptible(wrapped(`${ignoring} ${step('a', 'cleans up')}`)));
    await hangUp(subject);
    const log = subject.log();
    assert.deepEqual(log.splice(0, 2).toSorted(), ['a ready', 'b ready']);
    assert.deepEqual(log, ['a got SIGHUP', 'b got SIGTERM', 'a is clean', 'hook']);
  });

  for (const [place, command] of [
    ['while its shell runs', step('a', 'ignores')],
    ['after its shell has ended', wrapped(step('a', 'ignores'))],
  ] as const) {
    test(`is followed by SIGTERM after five seconds and SIGKILL after ten for a step that stays, ${place}`, async (t) => {
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
    test(`count as the first if they come together: ${second} right after ${first}`, async (t) => {
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
