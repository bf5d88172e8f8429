import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { withoutAnnouncements } from '../support/cli.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { needs } from '../support/needs.ts';
import {
  bench,
  interruptAt,
  runCommand,
  runDetached,
  runInTerminal,
  step,
  SETSID,
} from '../support/processes/bench.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C, terminal } from '../support/processes/terminal.ts';

const HOOK = 'echo hook >>log';
const LATER = 'echo later >>log';
const DIED_OF_SIGINT = { code: null, signal: 'SIGINT' };

/** The document of a run that was interrupted in its first step. */
function interrupted(command: string, exitCode: number, signal = 'SIGINT'): unknown {
  return {
    workflow: 'x',
    steps: [{ name: 'step_1', command, exit_code: exitCode }],
    error: { command: HOOK, exit_code: 0 },
    success: false,
    interrupted: signal,
  };
}

describe('an interruption', { concurrency: 3, ...LINUX, ...needs('python3') }, () => {
  test('Ctrl-C reaches the step exactly once, the error hook runs, no later step starts, and cli terminates by SIGINT', async (t) => {
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [step('a'), LATER] } } });
    assert.deepEqual(await interruptAt(subject, 'x', 'a ready'), DIED_OF_SIGINT);
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGINT', 'hook']);
    assert.deepEqual(subject.document(), interrupted(step('a'), 130));
    assert.deepEqual(subject.survivors(), []);
  });

  test('Ctrl-C reaches a process of the step in a session of its own once', async (t) => {
    const command = `${SETSID} ${step('a')}`;
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
    assert.deepEqual(await interruptAt(subject, 'x', 'a ready'), DIED_OF_SIGINT);
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGINT', 'hook']);
    assert.deepEqual(subject.survivors(), []);
  });

  test('Ctrl-C reaches each part of a pipeline and of a script in the step exactly once', async (t) => {
    const command = `${step('a')} | ${step('b')}; ${step('c')}`;
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
    const shown = runInTerminal(subject, 'x');
    await subject.logged('a ready', 'b ready');
    shown.type(CTRL_C);
    assert.deepEqual(await shown.ended, DIED_OF_SIGINT);
    const log = subject.log();
    assert.equal(log.pop(), 'hook');
    assert.deepEqual(log.toSorted(), ['a got SIGINT', 'a ready', 'b got SIGINT', 'b ready']);
    assert.deepEqual(subject.document(), interrupted(command, 130));
    assert.deepEqual(subject.survivors(), []);
  });

  for (const manner of ['is terminated', 'exits with 0'] as const) {
    test(`Ctrl-C stops the calling bash script if the step ${manner}`, async (t) => {
      const subject = bench(t, { workflows: { x: { steps: [step('a', manner)] } } });
      writeFileSync(join(subject.cwd, 'script.sh'), `${runCommand('x')}\n${LATER}\n`);
      const shown = terminal(t, subject.cwd, 'bash', ['script.sh']);
      await subject.logged('a ready');
      shown.type(CTRL_C);
      assert.deepEqual(await shown.ended, DIED_OF_SIGINT);
      assert.deepEqual(subject.log(), ['a ready', 'a got SIGINT']);
      assert.deepEqual(subject.survivors(), []);
    });
  }

  test('a second Ctrl-C kills processes that ignored the first at once, without hooks', async (t) => {
    const command = `${SETSID} ${step('own', 'ignores')} & ${step('a', 'ignores')}`;
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
    const shown = runInTerminal(subject, 'x');
    await subject.logged('a ready', 'own ready');
    shown.type(CTRL_C);
    // The process in a session of its own gets the signal from cli, which has then handled it.
    await subject.logged('a got SIGINT', 'own got SIGINT');
    // A second signal within 300 ms of the first counts as the first.
    await delay(400);
    shown.type(CTRL_C);
    assert.deepEqual(await shown.ended, DIED_OF_SIGINT);
    // The terminal also delivers the second signal, possibly before the step is killed. SIGTERM would indicate a delay.
    const log = new Set(subject.log());
    assert.deepEqual([...log].toSorted(), ['a got SIGINT', 'a ready', 'own got SIGINT', 'own ready']);
    assert.deepEqual(subject.document(), {
      workflow: 'x',
      steps: [{ name: 'step_1', command, exit_code: 137 }],
      success: false,
      interrupted: 'SIGINT',
    });
    assert.deepEqual(subject.survivors(), []);
  });

  test('after Ctrl-C cli waits for a step that cleans up, without a second signal', async (t) => {
    const command = step('a', 'cleans up');
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
    assert.deepEqual(await interruptAt(subject, 'x', 'a ready'), DIED_OF_SIGINT);
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGINT', 'a is clean', 'hook']);
    assert.deepEqual(subject.document(), interrupted(command, 3));
    assert.deepEqual(subject.survivors(), []);
  });

  test('after Ctrl-C cli waits for a cleanup whose wrapper ends at once, like wrappers of npm packages', async (t) => {
    const wrapper = `require('child_process').spawnSync(process.argv[1], { shell: true, stdio: 'inherit' })`;
    const command = `'${process.execPath}' -e "${wrapper}" "${step('a', 'cleans up')}"`;
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
    assert.deepEqual(await interruptAt(subject, 'x', 'a ready'), DIED_OF_SIGINT);
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGINT', 'a is clean', 'hook']);
    assert.deepEqual(subject.survivors(), []);
  });

  test('a step that exits with 0 on Ctrl-C counts as interrupted', async (t) => {
    const command = step('a', 'exits with 0');
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
    assert.deepEqual(await interruptAt(subject, 'x', 'a ready'), DIED_OF_SIGINT);
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGINT', 'hook']);
    assert.deepEqual(subject.document(), interrupted(command, 0));
    assert.deepEqual(subject.survivors(), []);
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`${signal} to cli alone, without a terminal, reaches the step once`, async (t) => {
      const subject = bench(t, { error: HOOK, workflows: { x: { steps: [step('a'), LATER] } } });
      const { pid, ended } = runDetached(subject, ['workflow', 'run', 'x']);
      await subject.logged('a ready');
      process.kill(pid, signal);
      const { code, signal: death, stderr: all } = await ended;
      const stderr = withoutAnnouncements(all);
      assert.deepEqual({ code, signal: death }, { code: null, signal });
      assert.deepEqual(subject.log(), ['a ready', `a got ${signal}`, 'hook']);
      const exitCode = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal];
      assert.deepEqual(subject.document(), interrupted(step('a'), exitCode, signal));
      assert.equal(
        stderr,
        `cli: step 'step_1' of workflow 'x' failed with exit code ${exitCode} (terminated by ${signal})\ncli: interrupted by ${signal}\n`,
      );
      assert.deepEqual(subject.survivors(), []);
    });
  }

  test('a step that kills itself is not an interruption: its exit code is 137, and cli exits with 1', async (t) => {
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: ['kill -9 $$', LATER] } } });
    const { code, signal } = await runDetached(subject, ['workflow', 'run', 'x']).ended;
    assert.deepEqual({ code, signal }, { code: 1, signal: null });
    assert.deepEqual(subject.log(), ['hook']);
    assert.deepEqual(subject.document(), {
      workflow: 'x',
      steps: [{ name: 'step_1', command: 'kill -9 $$', exit_code: 137 }],
      error: { command: HOOK, exit_code: 0 },
      success: false,
    });
  });
});
