import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { needs } from '../support/needs.ts';
import { bench, runDetached, runInTerminal, step, waitFor } from '../support/processes/bench.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C } from '../support/processes/terminal.ts';
import { call } from '../support/workflow.ts';

const DIED_OF_SIGINT = { code: null, signal: 'SIGINT' };

/** A hook that waits for the file `go`, so that other processes end meanwhile. */
const hold = (name: string): string =>
  `echo ${name} >>log; until [ -e go ]; do sleep 0.1; done; echo ${name} ended >>log`;

/** A member that a signal ends, and whose hooks a second one ends. */
const held = (name: string): object => ({
  error: hold(`error ${name}`),
  finally: 'echo never >>log',
  steps: [step(name)],
});

describe('a signal', { concurrency: 2, ...LINUX, ...needs('python3') }, () => {
  for (const [signal, steps] of [
    ['SIGINT', [step('a'), step('b'), step('c')]],
    ['SIGTERM', [step('a'), step('b', 'exits with 0'), 'echo c ready >>log; exec sleep 1000']],
  ] as const) {
    test(`${signal} in a group of three ends the steps, and no clean-up of a member`, async (t) => {
      const workflows = Object.fromEntries(
        ['a', 'b', 'c'].map((name, index) => [name, { finally: hold(`finally ${name}`), steps: [steps[index]] }]),
      );
      const x = { error: 'echo error >>log', steps: [{ parallel: ['a', 'b', 'c'].map((name) => call(name)) }] };
      const subject = bench(t, { workflows: { x, ...workflows } });
      const running = runDetached(subject, ['workflow', 'run', 'x']);
      await subject.logged('a ready', 'b ready', 'c ready');
      process.kill(running.pid, signal);
      await subject.logged('finally a', 'finally b', 'finally c');
      writeFileSync(join(subject.cwd, 'go'), '');
      assert.equal((await running.ended).signal, signal);
      const log = subject.log();
      assert.equal(log.at(-1), 'error');
      const ends = log.filter((line) => line.endsWith(' ended'));
      assert.deepEqual(ends.toSorted(), ['finally a ended', 'finally b ended', 'finally c ended']);
      assert.deepEqual(subject.survivors(), []);
    });
  }

  test('ending what a hook has left running does not end the hooks of other members', async (t) => {
    const workflows = {
      x: { steps: [{ parallel: [call('a'), call('b')] }] },
      // The second hook starts once the processes that the first one left have ended.
      a: { error: `${waitFor('finally b')}; sleep 1000 & echo left >>log`, finally: ': >go', steps: [step('a')] },
      b: { finally: hold('finally b'), steps: [step('b')] },
    };
    const subject = bench(t, { workflows });
    const running = runDetached(subject, ['workflow', 'run', 'x']);
    await subject.logged('a ready', 'b ready');
    process.kill(running.pid, 'SIGINT');
    assert.equal((await running.ended).signal, 'SIGINT');
    assert.ok(subject.log().includes('finally b ended'), subject.log().join(', '));
    assert.deepEqual(subject.survivors(), []);
  });

  test('Ctrl-C in a hook of a workflow ends it, and the other hooks run', async (t) => {
    const inner = { error: step('a'), finally: 'echo inner finally >>log', steps: ['false'] };
    const x = { finally: 'echo finally >>log', steps: [call('inner'), 'echo later >>log'] };
    const subject = bench(t, { workflows: { x, inner } });
    const shown = runInTerminal(subject, 'x');
    await subject.logged('a ready');
    shown.type(CTRL_C);
    assert.deepEqual(await shown.ended, DIED_OF_SIGINT);
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGINT', 'inner finally', 'finally']);
    assert.deepEqual(subject.survivors(), []);
  });

  test('a second signal kills the hooks of all members, and nothing starts', async (t) => {
    const workflows = {
      x: { finally: 'echo never >>log', steps: [{ parallel: [call('a'), call('b')] }] },
      a: held('a'),
      b: held('b'),
    };
    const subject = bench(t, { workflows });
    const running = runDetached(subject, ['workflow', 'run', 'x']);
    await subject.logged('a ready', 'b ready');
    const first = performance.now();
    process.kill(running.pid, 'SIGINT');
    await subject.logged('error a', 'error b');
    // Signals within 300 ms count as one.
    while (performance.now() < first + 400) await new Promise((resolve) => setTimeout(resolve, 20));
    process.kill(running.pid, 'SIGTERM');
    assert.equal((await running.ended).signal, 'SIGTERM');
    assert.deepEqual(
      subject.log().filter((line) => line.includes('never') || line.includes('ended')),
      [],
    );
    assert.deepEqual(subject.survivors(), []);
  });

  test('fail_fast ends the steps of the others while a slow finally of the failed member runs', async (t) => {
    const workflows = {
      x: { finally: 'echo finally >>log', steps: [{ fail_fast: true, parallel: [call('bad'), call('good')] }] },
      bad: { finally: hold('finally bad'), steps: ['until [ -e fail ]; do sleep 0.1; done; exit 3'] },
      good: {
        error: 'echo error good >>log',
        finally: hold('finally good'),
        steps: ['echo good ready >>log; exec sleep 1000'],
      },
    };
    const subject = bench(t, { workflows });
    const running = runDetached(subject, ['workflow', 'run', 'x']);
    await subject.logged('good ready');
    writeFileSync(join(subject.cwd, 'fail'), '');
    await subject.logged('finally bad', 'error good', 'finally good');
    writeFileSync(join(subject.cwd, 'go'), '');
    assert.equal((await running.ended).code, 1);
    const log = subject.log();
    assert.equal(log.at(-1), 'finally');
    assert.deepEqual(log.filter((line) => line.endsWith('ended')).toSorted(), [
      'finally bad ended',
      'finally good ended',
    ]);
    assert.deepEqual(subject.survivors(), []);
  });
});
