import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { needs } from '../support/needs.ts';
import { bench, runCommand, runDetached, step, waitFor, type Bench } from '../support/processes/bench.ts';
import { runInTerminal } from '../support/processes/bench.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C } from '../support/processes/terminal.ts';

const HOOK = 'echo hook >>log';
const LATER = 'echo later >>log';
const INNER = runCommand('y', '--file inner.json >inner-out.json');

/** A workflow with a step that runs a workflow of another file. */
function nested(t: TestContext, steps: readonly string[], inner: unknown): Bench {
  const subject = bench(t, { error: HOOK, workflows: { x: { steps } } });
  writeFileSync(join(subject.cwd, 'inner.json'), JSON.stringify(inner));
  return subject;
}

const INTERRUPTIBLE = { error: 'echo inner hook >>log', workflows: { y: { steps: [step('a'), LATER] } } };

describe('an interruption of a nested run', { concurrency: 3, ...LINUX, ...needs('python3') }, () => {
  test('Ctrl-C reaches the step of a nested run once, and both error hooks run, the inner one first', async (t) => {
    const subject = nested(t, [INNER, LATER], INTERRUPTIBLE);
    const shown = runInTerminal(subject, 'x');
    await subject.logged('a ready');
    shown.type(CTRL_C);
    assert.deepEqual(await shown.ended, { code: null, signal: 'SIGINT' });
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGINT', 'inner hook', 'hook']);
    assert.deepEqual(subject.document(), {
      workflow: 'x',
      steps: [{ name: 'step_1', command: INNER, exit_code: 130 }],
      error: { command: HOOK, exit_code: 0 },
      success: false,
      interrupted: 'SIGINT',
    });
    assert.deepEqual(subject.survivors(), []);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`${signal} to the outer cli alone is forwarded to the step of a nested run once, and both error hooks run`, async (t) => {
      const subject = nested(t, [INNER, LATER], INTERRUPTIBLE);
      const { pid, ended } = runDetached(subject, ['workflow', 'run', 'x']);
      await subject.logged('a ready');
      process.kill(pid, signal);
      const { code, signal: death } = await ended;
      assert.deepEqual({ code, signal: death }, { code: null, signal });
      assert.deepEqual(subject.log(), ['a ready', `a got ${signal}`, 'inner hook', 'hook']);
      assert.deepEqual(subject.survivors(), []);
    });
  }

  test('background processes of a finished nested run receive SIGTERM before they are killed', async (t) => {
    const leave = `${step('left')} & ${waitFor('left ready')}; exit 0`;
    const subject = nested(t, [`${INNER}\n${step('a')}`], { workflows: { y: { steps: [leave] } } });
    const { pid, ended } = runDetached(subject, ['workflow', 'run', 'x']);
    await subject.logged('a ready');
    process.kill(pid, 'SIGTERM');
    const { code, signal } = await ended;
    assert.deepEqual({ code, signal }, { code: null, signal: 'SIGTERM' });
    assert.deepEqual(subject.survivors(), []);
    const log = subject.log();
    assert.deepEqual(log.splice(0, 2), ['left ready', 'a ready']);
    assert.deepEqual(log.toSorted(), ['a got SIGTERM', 'hook', 'left got SIGTERM']);
  });
});
