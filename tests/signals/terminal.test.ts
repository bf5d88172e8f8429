import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { needs } from '../support/needs.ts';
import { bench, runCommand, runInTerminal, step, type Bench } from '../support/processes/bench.ts';
import { processState, PROC } from '../support/processes/processes.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C, CTRL_Z, terminal, type Terminal } from '../support/processes/terminal.ts';
import { until } from '../support/until.ts';

const HOOK = 'echo hook >>log';
const LATER = 'echo later >>log';
const HOOK_RAN = { command: HOOK, exit_code: 0 };

/** Records its process and reads a line, as a prompt does. */
const ASK = [
  `read -r stat <"${PROC}/$$/stat"; echo "$stat" >>processes`,
  'echo asking >>log',
  'read -r answer',
  'echo "answered $answer" >>log',
].join('\n');

/** An interactive shell with job control. */
function shell({ t, cwd }: Bench): Terminal {
  return terminal(t, cwd, 'bash', ['--norc', '--noediting', '-i']);
}

function isStopped(subject: Bench): Promise<void> {
  return until(
    () => subject.processes().some((stat) => processState(stat) === 'T'),
    () => 'the step is stopped',
  );
}

describe('in a terminal', { concurrency: 3, ...LINUX, ...needs('python3') }, () => {
  test('when the terminal closes, the step is terminated, the hook runs, and cli terminates by SIGHUP', async (t) => {
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [step('a'), LATER] } } });
    const shown = runInTerminal(subject, 'x');
    await subject.logged('a ready');
    shown.close();
    assert.deepEqual(await shown.ended, { code: null, signal: 'SIGHUP' });
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGHUP', 'hook']);
    assert.deepEqual(subject.document(), {
      workflow: 'x',
      steps: [{ name: 'step_1', command: step('a'), exit_code: 129 }],
      error: HOOK_RAN,
      success: false,
      interrupted: 'SIGHUP',
    });
    assert.deepEqual(subject.survivors(), []);
  });

  test('when the terminal of an interactive shell closes, the hook runs and no process is left', async (t) => {
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [step('a'), LATER] } } });
    const shown = shell(subject);
    shown.type(`${runCommand('x')}\n`);
    await subject.logged('a ready');
    shown.close();
    await subject.logged('hook');
    assert.ok(!subject.log().includes('later'));
    assert.deepEqual(subject.survivors(), []);
    await shown.ended;
  });

  test('Ctrl-Z suspends a step, and fg resumes it', async (t) => {
    const subject = bench(t, { workflows: { x: { steps: [ASK, LATER] } } });
    const shown = shell(subject);
    shown.type(`${runCommand('x')}\n`);
    await subject.logged('asking');
    shown.type(CTRL_Z);
    await isStopped(subject);
    await shown.shows('Stopped');
    assert.deepEqual(subject.log(), ['asking']);
    shown.type('fg; echo "resumed with $?"\n');
    await until(
      () => subject.processes().some((stat) => processState(stat) === 'S'),
      () => 'the step runs again',
    );
    shown.type('yes\n');
    await shown.shows('resumed with 0');
    assert.deepEqual(subject.log(), ['asking', 'answered yes', 'later']);
    assert.deepEqual(subject.document(), {
      workflow: 'x',
      steps: [
        { name: 'step_1', command: ASK, exit_code: 0 },
        { name: 'step_2', command: LATER, exit_code: 0 },
      ],
      success: true,
    });
    shown.type('exit\n');
    assert.deepEqual(await shown.ended, { code: 0, signal: null });
    assert.deepEqual(subject.survivors(), []);
  });

  test('Ctrl-\\ kills the step, whose shell would go on, and runs no hook', async (t) => {
    const command = 'echo ready >>log; sleep 60; sleep 61; echo after >>log';
    const subject = bench(t, { error: LATER, finally: LATER, workflows: { x: { steps: [command, LATER] } } });
    const shown = shell(subject);
    shown.type(`${runCommand('x')}; echo "ended with $?"\n`);
    await subject.logged('ready');
    shown.type('\x1C');
    await shown.shows('ended with 131');
    assert.deepEqual(subject.log(), ['ready']);
    assert.deepEqual(subject.document(), {
      workflow: 'x',
      steps: [{ name: 'step_1', command, exit_code: 137 }],
      success: false,
      interrupted: 'SIGQUIT',
    });
    shown.type('exit\n');
    await shown.ended;
  });

  test('a background run whose step reads the terminal is stopped, and the shell keeps its input', async (t) => {
    const subject = bench(t, { workflows: { x: { steps: [ASK, LATER] } } });
    const shown = shell(subject);
    shown.type(`${runCommand('x')} &\n`);
    await subject.logged('asking');
    await isStopped(subject);
    shown.type('echo "the shell reads $((6 * 7))"\n');
    await shown.shows('the shell reads 42');
    assert.deepEqual(subject.log(), ['asking']);
    shown.type('fg; echo "ended with $?"\n');
    await until(
      () => subject.processes().some((stat) => processState(stat) === 'S'),
      () => 'the step runs again',
    );
    shown.type('yes\n');
    await shown.shows('ended with 0');
    assert.deepEqual(subject.log(), ['asking', 'answered yes', 'later']);
    shown.type('exit\n');
    assert.deepEqual(await shown.ended, { code: 0, signal: null });
    assert.deepEqual(subject.survivors(), []);
  });

  test('a step can prompt its user, through standard input and through /dev/tty', async (t) => {
    const steps = [
      'echo stdin asks >>log; read -r answer; echo "stdin got $answer" >>log',
      'echo tty asks >>log; read -r answer </dev/tty; echo "tty got $answer" >>log',
    ];
    const subject = bench(t, { workflows: { x: { steps } } });
    const shown = runInTerminal(subject, 'x');
    await subject.logged('stdin asks');
    shown.type('one\n');
    await subject.logged('tty asks');
    shown.type('two\n');
    assert.deepEqual(await shown.ended, { code: 0, signal: null });
    assert.deepEqual(subject.log(), ['stdin asks', 'stdin got one', 'tty asks', 'tty got two']);
  });

  test('Ctrl-C terminates cli while it waits for a reader of its result', async (t) => {
    const command = `: ${'x'.repeat(100_000)}`;
    const subject = bench(t, { workflows: { x: { steps: [command, command] } } });
    const pipe = join(subject.cwd, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // Open for reading and writing, so that it can be opened before a writer exists.
    const reader = openSync(pipe, 'r+');
    t.after(() => closeSync(reader));
    const shown = terminal(t, subject.cwd, 'bash', ['-c', `exec ${runCommand('x', '>pipe')}`]);
    // Blocks until cli writes more than the capacity of the pipe.
    readSync(reader, Buffer.alloc(1));
    shown.type(CTRL_C);
    assert.deepEqual(await shown.ended, { code: null, signal: 'SIGINT' });
  });
});
