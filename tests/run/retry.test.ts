import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { needs } from '../support/needs.ts';
import { bench, hold, interruptAt, runDetached, runInTerminal, step, waitFor } from '../support/processes/bench.ts';
import { workflowDirectory } from '../support/cli.ts';
import { quickCliWithAnnouncements as cliWithAnnouncements } from '../support/in_process.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C } from '../support/processes/terminal.ts';
import { until } from '../support/until.ts';
import { entry, runCi } from '../support/workflow.ts';

const HOOKS = { error: 'echo error >>log', finally: 'echo finally >>log' };
const HOOKS_RAN = { error: { command: HOOKS.error, exit_code: 0 }, finally: { command: HOOKS.finally, exit_code: 0 } };
const LATER = 'echo later >>log';
const FOREVER = { max_attempts: 100, delay: '24h' };

/** The time in which cli must leave a delay, in milliseconds: less than processes have after SIGTERM. */
const AT_ONCE = 4500;

/** A command that records each attempt, and fails. */
const FAILS = 'echo attempt >>log; exit 7';

/** The document of a run that was interrupted in its only step, which has retries. */
function interrupted(command: string, exitCode: number, signal: string): object {
  const steps = [{ ...entry('step_1', command, exitCode), attempts: 1 }];
  return { workflow: 'x', steps, ...HOOKS_RAN, success: false, interrupted: signal };
}

describe('a step with retries', { concurrency: 3, ...LINUX, ...needs('python3') }, () => {
  test('each failed attempt is reported, and the result contains the number of attempts, even if it is one', async (t) => {
    const twice = 'echo "attempt $(cat n 2>/dev/null)"; [ -e n ] || { echo 2 >n; exit 7; }';
    const steps = [{ name: 'wobbly', run: twice, retry: { max_attempts: 3, delay: '50ms' } }];
    const once = { run: 'true', retry: { max_attempts: 2, delay: '24h' } };
    const cwd = workflowDirectory(t, { workflows: { ci: { steps: [...steps, once] } } });
    const { code, stdout, stderr } = await cliWithAnnouncements(['workflow', 'run', 'ci'], { cwd });
    assert.equal(code, 0);
    assert.equal(
      stderr,
      "cli: step 'wobbly' of workflow 'ci'\n" +
        'attempt \n' +
        "cli: step 'wobbly' of workflow 'ci' failed with exit code 7 (attempt 1 of 3); retrying in 50ms\n" +
        'attempt 2\n' +
        "cli: step 'wobbly' of workflow 'ci' succeeded in 2 attempts, <time>\n" +
        "cli: step 'step_2' of workflow 'ci'\n" +
        "cli: step 'step_2' of workflow 'ci' succeeded, <time>\n" +
        "cli: workflow 'ci' succeeded: 2 steps ran, <time>\n",
    );
    assert.deepEqual(JSON.parse(stdout), {
      workflow: 'ci',
      steps: [
        { ...entry('wobbly', twice), attempts: 2 },
        { ...entry('step_2', 'true'), attempts: 1 },
      ],
      success: true,
    });
  });

  test('a step fails with the exit code of its last attempt', async (t) => {
    const command = 'echo >>n; exit $(grep -c "" n)';
    const file = { workflows: { ci: { steps: [{ run: command, retry: { max_attempts: 3, delay: '1ms' } }] } } };
    const { code, document, stderr } = await runCi(t, file);
    assert.equal(code, 1);
    assert.deepEqual(document, {
      workflow: 'ci',
      steps: [{ ...entry('step_1', command, 3), attempts: 3 }],
      success: false,
    });
    const attempt = "cli: step 'step_1' of workflow 'ci' failed with exit code";
    assert.equal(
      stderr,
      `${attempt} 1 (attempt 1 of 3); retrying in 1ms\n` +
        `${attempt} 2 (attempt 2 of 3); retrying in 1ms\n` +
        `${attempt} 3 in 3 attempts\n`,
    );
  });

  test('each attempt has the same environment, and standard input continues', async (t) => {
    const command = 'read -r line; echo "$line" >>lines; env -u _ | grep -v ^CLI_RUN_ | sort >"env $line"; exit 1';
    const steps = [{ run: command, with: { A: '1' }, timeout: '1h', retry: { max_attempts: 2, delay: '1ms' } }];
    const cwd = workflowDirectory(t, { workflows: { ci: { steps } } });
    await cliWithAnnouncements(['workflow', 'run', 'ci'], { cwd, input: 'one\ntwo\n' });
    const read = (name: string): string => readFileSync(join(cwd, name), 'utf8');
    assert.equal(read('lines'), 'one\ntwo\n');
    assert.equal(read('env one'), read('env two'));
    assert.match(read('env one'), /^A=1$/m);
  });

  test('Ctrl-C in the delay ends the step at once, error and finally run, and the result contains the attempts', async (t) => {
    const file = { ...HOOKS, workflows: { x: { steps: [{ run: FAILS, retry: FOREVER }, LATER] } } };
    const subject = bench(t, file);
    const shown = runInTerminal(subject, 'x');
    await shown.shows('(attempt 1 of 100); retrying in 24h');
    shown.type(CTRL_C);
    const pressed = performance.now();
    assert.deepEqual(await shown.ended, { code: null, signal: 'SIGINT' });
    assert.ok(performance.now() - pressed < AT_ONCE);
    assert.deepEqual(subject.log(), ['attempt', 'error', 'finally']);
    assert.deepEqual(subject.document(), interrupted(FAILS, 7, 'SIGINT'));
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`${signal} in the delay ends the step at once, and its background processes are terminated before the hooks`, async (t) => {
      const command = `${hold('daemon')} & ${waitFor('daemon ready')}; exit 7`;
      const error = '[ -e "/proc/$(cut -d " " -f 1 processes)/exe" ] && echo survivor >>log; echo error >>log';
      const file = { ...HOOKS, error, workflows: { x: { steps: [{ run: command, retry: FOREVER }, LATER] } } };
      const subject = bench(t, file);
      const { pid, ended } = runDetached(subject, ['workflow', 'run', 'x']);
      const stderr = (): string => readFileSync(join(subject.cwd, 'err.txt'), 'utf8');
      await until(() => stderr().includes('retrying in 24h'), stderr);
      process.kill(pid, signal);
      const sent = performance.now();
      const { code, signal: death } = await ended;
      assert.deepEqual({ code, signal: death }, { code: null, signal });
      assert.ok(performance.now() - sent < AT_ONCE);
      assert.deepEqual(subject.log(), ['daemon ready', 'error', 'finally']);
      const expected = { ...interrupted(command, 7, signal), error: { command: error, exit_code: 0 } };
      assert.deepEqual(subject.document(), expected);
      assert.deepEqual(subject.survivors(), []);
    });
  }

  test('a second signal during the termination of background processes prevents the hooks', async (t) => {
    const command = `${step('left', 'ignores')} & ${waitFor('left ready')}; exit 7`;
    const subject = bench(t, { ...HOOKS, workflows: { x: { steps: [{ run: command, retry: FOREVER }] } } });
    const { pid, ended } = runDetached(subject, ['workflow', 'run', 'x']);
    const stderr = (): string => readFileSync(join(subject.cwd, 'err.txt'), 'utf8');
    await until(() => stderr().includes('retrying in 24h'), stderr);
    process.kill(pid, 'SIGTERM');
    await subject.logged('left got SIGTERM');
    // A second signal within 300 ms of the first counts as the first.
    await delay(400);
    process.kill(pid, 'SIGINT');
    const { code, signal } = await ended;
    assert.deepEqual({ code, signal }, { code: null, signal: 'SIGINT' });
    assert.deepEqual(subject.log(), ['left ready', 'left got SIGTERM']);
    const steps = [{ ...entry('step_1', command, 7), attempts: 1 }];
    assert.deepEqual(subject.document(), { workflow: 'x', steps, success: false, interrupted: 'SIGINT' });
    assert.ok(!stderr().includes("cli: hook 'error'"), stderr());
    assert.deepEqual(subject.survivors(), []);
  });

  test('after Ctrl-C in an attempt the step is not retried', async (t) => {
    const file = { ...HOOKS, workflows: { x: { steps: [{ run: step('a'), retry: FOREVER }, LATER] } } };
    const subject = bench(t, file);
    assert.deepEqual(await interruptAt(subject, 'x', 'a ready'), { code: null, signal: 'SIGINT' });
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGINT', 'error', 'finally']);
    assert.deepEqual(subject.document(), interrupted(step('a'), 130, 'SIGINT'));
    assert.deepEqual(subject.survivors(), []);
  });
});
