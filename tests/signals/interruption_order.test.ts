import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { needs } from '../support/needs.ts';
import { bench, interruptAt, runCommand, runDetached } from '../support/processes/bench.ts';
import { commandWith } from '../support/cli.ts';
import { runInTerminal, step } from '../support/processes/bench.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C, terminal } from '../support/processes/terminal.ts';
import { until } from '../support/until.ts';

const HOOK = 'echo hook >>log';
const LATER = 'echo later >>log';
const HOOK_RAN = { command: HOOK, exit_code: 0 };
const DIED_OF_SIGINT = { code: null, signal: 'SIGINT' };

const STEP = step('a');
const KILLED = { command: STEP, exit_code: 130 };

/** The interrupted command, and the document apart from the interruption. */
const PLACES = [
  {
    place: 'before_all',
    file: { before_all: STEP, error: HOOK, workflows: { x: { steps: [LATER] } } },
    log: ['a ready', 'a got SIGINT', 'hook'],
    result: { before_all: KILLED, steps: [], error: HOOK_RAN },
  },
  {
    place: 'a condition',
    file: { error: HOOK, workflows: { x: { steps: [{ if: STEP, run: LATER }, LATER] } } },
    log: ['a ready', 'a got SIGINT', 'hook'],
    result: { steps: [], error: HOOK_RAN },
  },
  {
    place: 'a step of a called workflow',
    file: { error: HOOK, workflows: { x: { steps: [{ workflow: 'y' }, LATER] }, y: { steps: [STEP, LATER] } } },
    log: ['a ready', 'a got SIGINT', 'hook'],
    result: { steps: [{ name: 'step_1', ...KILLED }], error: HOOK_RAN },
  },
  {
    place: 'after_all',
    file: { after_all: STEP, error: HOOK, workflows: { x: { steps: [LATER] } } },
    log: ['later', 'a ready', 'a got SIGINT', 'hook'],
    result: { steps: [{ name: 'step_1', command: LATER, exit_code: 0 }], after_all: KILLED, error: HOOK_RAN },
  },
  {
    place: 'the error hook of a failed run',
    file: { error: STEP, workflows: { x: { steps: ['exit 4', LATER] } } },
    log: ['a ready', 'a got SIGINT'],
    result: { steps: [{ name: 'step_1', command: 'exit 4', exit_code: 4 }], error: KILLED },
  },
];

/**
 * Loads a program before cli that sends SIGINT to cli itself at one of its process starts, counted from 1: just before
 * the start, when cli is notified of its end, or 40 ms after that, when a command that died of the same signal is still waited for.
 */
function signalAt(cwd: string, moment: 'start' | 'end' | 'later', count: number): readonly string[] {
  const program = `
    import processes from 'node:child_process';
    import { syncBuiltinESMExports } from 'node:module';
    const { spawn } = processes;
    const signal = () => process.kill(process.pid, 'SIGINT');
    const end = '${moment}' === 'later' ? () => setTimeout(signal, 40) : signal;
    let starts = 0;
    processes.spawn = (...args) => {
      starts += 1;
      if (starts === ${count} && '${moment}' === 'start') signal();
      const child = spawn(...args);
      if (starts === ${count} && '${moment}' !== 'start') child.prependListener('exit', end);
      return child;
    };
    syncBuiltinESMExports();
    // The executable starts commands without pipes by other means.
    if (globalThis.Bun !== undefined) {
      const start = Bun.spawn;
      Bun.spawn = (...args) => {
        starts += 1;
        if (starts === ${count} && '${moment}' === 'start') signal();
        const child = start(...args);
        const isLast = starts === ${count} && '${moment}' !== 'start';
        const exited = child.exited.then((code) => ((isLast && end()), code));
        return { pid: child.pid, exited };
      };
    }`;
  return commandWith(cwd, program);
}

describe('the order of an interrupted run', { concurrency: 3, ...LINUX, ...needs('python3') }, () => {
  for (const { place, file, log, result } of PLACES) {
    test(`Ctrl-C during ${place} interrupts the run`, async (t) => {
      const subject = bench(t, file);
      assert.deepEqual(await interruptAt(subject, 'x', 'a ready'), DIED_OF_SIGINT);
      assert.deepEqual(subject.log(), log);
      assert.deepEqual(subject.document(), { workflow: 'x', ...result, success: false, interrupted: 'SIGINT' });
      assert.deepEqual(subject.survivors(), []);
    });
  }

  test('a second Ctrl-C during the error hook kills the hook', async (t) => {
    const hook = step('hook', 'ignores');
    const subject = bench(t, { error: hook, workflows: { x: { steps: [STEP, LATER] } } });
    const shown = runInTerminal(subject, 'x');
    await subject.logged('a ready');
    shown.type(CTRL_C);
    await subject.logged('hook ready');
    // A second signal within 300 ms of the first counts as the first.
    await delay(400);
    shown.type(CTRL_C);
    assert.deepEqual(await shown.ended, DIED_OF_SIGINT);
    assert.deepEqual(subject.document(), {
      workflow: 'x',
      steps: [{ name: 'step_1', ...KILLED }],
      error: { command: hook, exit_code: 137 },
      success: false,
      interrupted: 'SIGINT',
    });
    assert.deepEqual(subject.survivors(), []);
  });

  test('after Ctrl-C before the first step nothing runs and nothing is printed', async (t) => {
    const subject = bench(t, {});
    const pipe = join(subject.cwd, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const command = `exec ${runCommand('x', '--file pipe >out.json')}`;
    const shown = terminal(t, subject.cwd, 'bash', ['-c', command]);
    let writer = -1;
    await until(
      () => {
        writer = openIfRead(pipe);
        return writer !== -1;
      },
      () => 'cli reads its file',
    );
    t.after(() => closeSync(writer));
    shown.type(CTRL_C);
    assert.deepEqual(await shown.ended, DIED_OF_SIGINT);
    assert.deepEqual(subject.log(), []);
    assert.equal(subject.document(), undefined);
  });

  test('a signal at the start of a step reaches the step', async (t) => {
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [':', STEP, LATER] } } });
    const { ended } = runDetached(subject, ['workflow', 'run', 'x'], signalAt(subject.cwd, 'start', 2));
    const { code, signal } = await ended;
    assert.deepEqual({ code, signal }, DIED_OF_SIGINT);
    // It does not matter whether the step has already set its trap.
    const log = subject.log().filter((line) => line !== 'a ready' && line !== 'a got SIGINT');
    assert.deepEqual(log, ['hook']);
    assert.deepEqual(subject.document(), {
      workflow: 'x',
      steps: [
        { name: 'step_1', command: ':', exit_code: 0 },
        { name: 'step_2', command: STEP, exit_code: 130 },
      ],
      error: HOOK_RAN,
      success: false,
      interrupted: 'SIGINT',
    });
    assert.deepEqual(subject.survivors(), []);
  });

  test('after a signal at the end of a step the next one does not start', async (t) => {
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [':', LATER, LATER] } } });
    const { ended } = runDetached(subject, ['workflow', 'run', 'x'], signalAt(subject.cwd, 'end', 1));
    const { code, signal } = await ended;
    assert.deepEqual({ code, signal }, DIED_OF_SIGINT);
    assert.deepEqual(subject.log(), ['hook']);
    assert.deepEqual(subject.document(), {
      workflow: 'x',
      steps: [{ name: 'step_1', command: ':', exit_code: 0 }],
      error: HOOK_RAN,
      success: false,
      interrupted: 'SIGINT',
    });
  });

  test('a command that dies of Ctrl-C before cli receives it interrupts the run, and the next step does not start', async (t) => {
    const dies = { name: 'dies', run: 'kill -INT $$', allow_failure: true };
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [dies, LATER] } } });
    const { ended } = runDetached(subject, ['workflow', 'run', 'x'], signalAt(subject.cwd, 'later', 1));
    const { code, signal } = await ended;
    assert.deepEqual({ code, signal }, DIED_OF_SIGINT);
    assert.deepEqual(subject.log(), ['hook']);
    assert.deepEqual(subject.document(), {
      workflow: 'x',
      steps: [{ name: 'dies', command: 'kill -INT $$', exit_code: 130, allowed_failure: true }],
      error: HOOK_RAN,
      success: false,
      interrupted: 'SIGINT',
    });
  });

  test('a signal at the end of the last step is not lost', async (t) => {
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [LATER] } } });
    const { ended } = runDetached(subject, ['workflow', 'run', 'x'], signalAt(subject.cwd, 'end', 1));
    const { code, signal } = await ended;
    assert.deepEqual({ code, signal }, DIED_OF_SIGINT);
    assert.deepEqual(subject.log(), ['later', 'hook']);
    assert.deepEqual(subject.document(), {
      workflow: 'x',
      steps: [{ name: 'step_1', command: LATER, exit_code: 0 }],
      error: HOOK_RAN,
      success: false,
      interrupted: 'SIGINT',
    });
  });
});

/** Opens a pipe for writing; returns -1 if it has no reader. */
function openIfRead(pipe: string): number {
  try {
    return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // ENXIO: the pipe has no reader yet.
    return -1;
  }
}
