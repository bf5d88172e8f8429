import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { needs } from '../support/needs.ts';
import { bench, interruptAt, runDetached, runInTerminal, step } from '../support/processes/bench.ts';
import { cli, withoutTimes, workflowDirectory } from '../support/cli.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C } from '../support/processes/terminal.ts';
import { entry } from '../support/workflow.ts';

const RUN = ['workflow', 'run', 'x'];
const HOOKS = { after_all: 'echo after_all >>log', error: 'echo error >>log', finally: 'echo finally >>log' };
const OK = { command: HOOKS.finally, exit_code: 0 };
const ERROR_RAN = { command: HOOKS.error, exit_code: 0 };

const STEP = step('a');
const STOPPED = { command: STEP, exit_code: 130 };

/** The position of Ctrl-C, the commands that then ran, and the result in the document. */
const PLACES = [
  {
    place: 'a step',
    file: { ...HOOKS, workflows: { x: { steps: [STEP, 'echo later >>log'] } } },
    log: ['a ready', 'a got SIGINT', 'error', 'finally'],
    result: { steps: [entry('step_1', STEP, 130)], error: ERROR_RAN, finally: OK },
  },
  {
    place: 'after_all',
    file: { ...HOOKS, after_all: STEP, workflows: { x: { steps: [] } } },
    log: ['a ready', 'a got SIGINT', 'error', 'finally'],
    result: { steps: [], after_all: STOPPED, error: ERROR_RAN, finally: OK },
  },
  {
    place: 'error',
    file: { ...HOOKS, error: STEP, workflows: { x: { steps: ['exit 4'] } } },
    log: ['a ready', 'a got SIGINT', 'finally'],
    result: { steps: [entry('step_1', 'exit 4', 4)], error: STOPPED, finally: OK },
  },
  {
    place: 'finally',
    file: { ...HOOKS, finally: STEP, workflows: { x: { steps: ['true'] } } },
    log: ['after_all', 'a ready', 'a got SIGINT'],
    result: {
      steps: [entry('step_1', 'true')],
      after_all: { command: HOOKS.after_all, exit_code: 0 },
      finally: STOPPED,
    },
  },
  {
    place: 'a step with allow_failure',
    file: { ...HOOKS, workflows: { x: { steps: [{ run: STEP, allow_failure: true }, 'echo later >>log'] } } },
    log: ['a ready', 'a got SIGINT', 'error', 'finally'],
    result: { steps: [{ ...entry('step_1', STEP, 130), allowed_failure: true }], error: ERROR_RAN, finally: OK },
  },
];

describe('finally', { concurrency: 6, ...LINUX, ...needs('python3') }, () => {
  for (const { place, file, log, result } of PLACES) {
    test(`after Ctrl-C during ${place}, finally runs once, as the last hook`, async (t) => {
      const subject = bench(t, file);
      assert.deepEqual(await interruptAt(subject, 'x', 'a ready'), { code: null, signal: 'SIGINT' });
      assert.deepEqual(subject.log(), log);
      assert.deepEqual(subject.document(), { workflow: 'x', ...result, success: false, interrupted: 'SIGINT' });
      assert.deepEqual(subject.survivors(), []);
    });
  }

  for (const hook of ['error', 'finally'] as const) {
    test(`a second Ctrl-C during ${hook} kills the hook, and no hook runs after it`, async (t) => {
      const command = step('hook', 'ignores');
      const subject = bench(t, { ...HOOKS, [hook]: command, workflows: { x: { steps: [STEP] } } });
      const shown = runInTerminal(subject, 'x');
      await subject.logged('a ready');
      shown.type(CTRL_C);
      await subject.logged('hook ready');
      // The same signal within 300 ms counts as the first.
      await delay(400);
      shown.type(CTRL_C);
      assert.deepEqual(await shown.ended, { code: null, signal: 'SIGINT' });
      const killed = { command, exit_code: 137 };
      assert.deepEqual(subject.document(), {
        workflow: 'x',
        steps: [entry('step_1', STEP, 130)],
        ...(hook === 'error' ? { error: killed } : { error: ERROR_RAN, finally: killed }),
        success: false,
        interrupted: 'SIGINT',
      });
      assert.ok(!subject.log().includes('finally'));
      assert.deepEqual(subject.survivors(), []);
    });
  }

  test('a failing finally hook fails a successful run, and has no other effect', async (t) => {
    const file = { finally: 'echo done; exit 6', error: HOOKS.error, workflows: { x: { steps: ['true'] } } };
    const { code, stdout, stderr } = await cli(RUN, { cwd: workflowDirectory(t, file) });
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(stdout), {
      workflow: 'x',
      steps: [entry('step_1', 'true')],
      finally: { command: 'echo done; exit 6', exit_code: 6 },
      success: false,
    });
    assert.equal(stderr, "done\ncli: hook 'finally' failed with exit code 6\n");
  });

  test('a finally hook that cannot be started has exit code 126, and fails the run', LINUX, async (t) => {
    const long = `: ${'x'.repeat(131_072)}`;
    const file = { ...HOOKS, finally: long, workflows: { x: { steps: [] } } };
    const { code, stdout, stderr } = await cli(RUN, { cwd: workflowDirectory(t, file) });
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(stdout), {
      workflow: 'x',
      steps: [],
      after_all: { command: HOOKS.after_all, exit_code: 0 },
      finally: { command: long, exit_code: 126 },
      success: false,
    });
    const reason = 'the command is 131074 bytes long; the system takes less than 131072';
    assert.equal(stderr, `cli: hook 'finally' could not be started: ${reason}\n`);
  });

  test('after SIGTERM to cli, finally runs when the processes of the step have ended', async (t) => {
    const subject = bench(t, { ...HOOKS, workflows: { x: { steps: [STEP] } } });
    const { pid, ended } = runDetached(subject, RUN);
    await subject.logged('a ready');
    process.kill(pid, 'SIGTERM');
    const { code, signal, stderr } = await ended;
    assert.deepEqual({ code, signal }, { code: null, signal: 'SIGTERM' });
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGTERM', 'error', 'finally']);
    assert.equal(
      withoutTimes(stderr),
      "cli: step 'step_1' of workflow 'x'\n" +
        "cli: step 'step_1' of workflow 'x' failed with exit code 143 (terminated by SIGTERM), <time>\n" +
        "cli: hook 'error'\n" +
        "cli: hook 'error' succeeded, <time>\n" +
        "cli: hook 'finally'\n" +
        "cli: hook 'finally' succeeded, <time>\n" +
        'cli: interrupted by SIGTERM\n' +
        "cli: workflow 'x' failed: 1 step ran, <time>\n",
    );
    assert.deepEqual(subject.survivors(), []);
  });
});
