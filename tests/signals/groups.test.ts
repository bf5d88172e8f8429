import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { needs } from '../support/needs.ts';
import {
  bench,
  FAMILY,
  FAMILY_READY,
  interruptAt,
  runDetached,
  runInTerminal,
  step,
} from '../support/processes/bench.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C } from '../support/processes/terminal.ts';
import { entry } from '../support/workflow.ts';

const HOOK = 'echo hook >>log';
const DIED_OF_SIGINT = { code: null, signal: 'SIGINT' };

describe('an interruption of a group', { concurrency: 2, ...LINUX, ...needs('python3') }, () => {
  test('Ctrl-C reaches each member once, and the hook runs after all members have ended', async (t) => {
    const parallel = [step('a'), step('b', 'exits with 0'), { parallel: [step('c')] }];
    const steps = [{ parallel }, 'echo later >>log'];
    const subject = bench(t, { error: HOOK, workflows: { x: { steps } } });
    const shown = runInTerminal(subject, 'x');
    await subject.logged('a ready', 'b ready', 'c ready');
    shown.type(CTRL_C);
    assert.deepEqual(await shown.ended, DIED_OF_SIGINT);
    const log = subject.log();
    assert.equal(log.pop(), 'hook');
    const each = ['a', 'b', 'c'].flatMap((name) => [`${name} got SIGINT`, `${name} ready`]);
    assert.deepEqual(log.toSorted(), each);
    assert.deepEqual(subject.document(), {
      workflow: 'x',
      steps: [
        entry('step_1.1', step('a'), 130),
        entry('step_1.2', step('b', 'exits with 0')),
        entry('step_1.3.1', step('c'), 130),
      ],
      error: { command: HOOK, exit_code: 0 },
      success: false,
      interrupted: 'SIGINT',
    });
    assert.deepEqual(subject.survivors(), []);
  });

  test('after Ctrl-C no waiting member starts', async (t) => {
    const subject = bench(t, { workflows: { x: { steps: [{ max_parallel: 1, parallel: [step('a'), step('b')] }] } } });
    assert.deepEqual(await interruptAt(subject, 'x', 'a ready'), DIED_OF_SIGINT);
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGINT']);
    assert.deepEqual(subject.survivors(), []);
  });

  test('SIGTERM terminates the process trees of all members', async (t) => {
    const members = [`${FAMILY}\nwait`, step('a')];
    const subject = bench(t, { workflows: { x: { steps: [{ parallel: members }] } } });
    const running = runDetached(subject, ['workflow', 'run', 'x']);
    await subject.logged('a ready', ...FAMILY_READY);
    process.kill(running.pid, 'SIGTERM');
    assert.equal((await running.ended).signal, 'SIGTERM');
    assert.deepEqual(subject.survivors(), []);
  });
});
