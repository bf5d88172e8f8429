import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { needs } from '../support/needs.ts';
import { FAMILY, FAMILY_READY, bench, hold, interruptAt, waitFor } from '../support/processes/bench.ts';
import { COMMAND, commandWith } from '../support/cli.ts';
import { runDetached, runInTerminal, step } from '../support/processes/bench.ts';
import { processState, PROC } from '../support/processes/processes.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C } from '../support/processes/terminal.ts';
import { until } from '../support/until.ts';

const HOOK = 'echo hook >>log';
const LATER = 'echo later >>log';
const RUN = ['workflow', 'run', 'x'];

describe('the process tree of a step', { concurrency: 4, ...LINUX, ...needs('python3') }, () => {
  test('SIGTERM to cli alone terminates the whole tree: children, background processes, sessions and orphans', async (t) => {
    const command = `${FAMILY}\n${step('a')}`;
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
    const { pid, ended } = runDetached(subject, RUN);
    await subject.logged('a ready', ...FAMILY_READY);
    process.kill(pid, 'SIGTERM');
    const { code, signal } = await ended;
    assert.deepEqual({ code, signal }, { code: null, signal: 'SIGTERM' });
    assert.deepEqual(subject.survivors(), []);
    assert.deepEqual(subject.log().slice(-2), ['a got SIGTERM', 'hook']);
    assert.deepEqual(subject.log().slice(0, -2).toSorted(), ['a ready', ...FAMILY_READY].toSorted());
    assert.deepEqual(subject.document(), {
      workflow: 'x',
      steps: [{ name: 'step_1', command, exit_code: 143 }],
      error: { command: HOOK, exit_code: 0 },
      success: false,
      interrupted: 'SIGTERM',
    });
  });

  test('Ctrl-C terminates the whole tree, including processes that the terminal does not reach', async (t) => {
    const command = `${FAMILY}\n${step('a')}`;
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
    const shown = runInTerminal(subject, 'x');
    await subject.logged('a ready', ...FAMILY_READY);
    shown.type(CTRL_C);
    assert.deepEqual(await shown.ended, { code: null, signal: 'SIGINT' });
    assert.deepEqual(subject.survivors(), []);
    assert.deepEqual(subject.log().slice(-2), ['a got SIGINT', 'hook']);
  });

  test('processes that ignore SIGTERM are killed after five seconds, and then the hook runs', async (t) => {
    const command = `${step('a', 'ignores')} & ${step('b', 'ignores')}`;
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
    const { pid, ended } = runDetached(subject, RUN);
    await subject.logged('a ready', 'b ready');
    const asked = performance.now();
    process.kill(pid, 'SIGTERM');
    const { code, signal } = await ended;
    const took = performance.now() - asked;
    assert.deepEqual({ code, signal }, { code: null, signal: 'SIGTERM' });
    assert.ok(took > 4900, `it took ${took} ms`);
    const log = subject.log();
    assert.equal(log.pop(), 'hook');
    assert.deepEqual(log.toSorted(), ['a got SIGTERM', 'a ready', 'b got SIGTERM', 'b ready']);
    assert.deepEqual(subject.survivors(), []);
  });

  test('SIGTERM terminates a stopped step', async (t) => {
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [step('a'), LATER] } } });
    const { pid, ended } = runDetached(subject, RUN);
    await subject.logged('a ready');
    const [stat = ''] = subject.processes();
    process.kill(Number.parseInt(stat, 10), 'SIGSTOP');
    await until(
      () => processState(stat) === 'T',
      () => 'the step is stopped',
    );
    process.kill(pid, 'SIGTERM');
    const { code, signal } = await ended;
    assert.deepEqual({ code, signal }, { code: null, signal: 'SIGTERM' });
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGTERM', 'hook']);
    assert.deepEqual(subject.survivors(), []);
  });

  test('a background process that holds the output does not delay the end of the run, and continues', async (t) => {
    const command = `${hold('daemon')} & ${waitFor('daemon ready')}; exit 0`;
    const subject = bench(t, { after_all: HOOK, workflows: { x: { steps: [command, LATER] } } });
    const { code, signal } = await runDetached(subject, RUN).ended;
    assert.deepEqual({ code, signal }, { code: 0, signal: null });
    assert.deepEqual(subject.log(), ['daemon ready', 'later', 'hook']);
    await subject.leaves('sleep 60');
  });

  test('an interruption terminates processes left by an earlier step', async (t) => {
    const command = `${hold('daemon')} & ${waitFor('daemon ready')}; exit 0`;
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, step('a')] } } });
    assert.deepEqual(await interruptAt(subject, 'x', 'a ready'), { code: null, signal: 'SIGINT' });
    assert.deepEqual(subject.survivors(), []);
    assert.deepEqual(subject.log(), ['daemon ready', 'a ready', 'a got SIGINT', 'hook']);
  });

  test('SIGTERM to cli as PID 1 of a container terminates the tree, and cli exits with 143', async (t) => {
    const command = `( ${hold('orphan')} & )\n${step('a')}`;
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
    const { pid, ended } = runDetached(subject, RUN, asFirstProcess(subject.cwd));
    await subject.logged('orphan ready', 'a ready');
    process.kill(firstChild(pid) ?? pid, 'SIGTERM');
    const { code, signal } = await ended;
    assert.deepEqual({ code, signal }, { code: 143, signal: null });
    assert.deepEqual(subject.log().slice(-2), ['a got SIGTERM', 'hook']);
    assert.deepEqual(subject.document(), {
      workflow: 'x',
      steps: [{ name: 'step_1', command, exit_code: 143 }],
      error: { command: HOOK, exit_code: 0 },
      success: false,
      interrupted: 'SIGTERM',
    });
  });
});

/**
 * The command that starts cli as the first process of a PID namespace. Where that is not permitted, Node.js gets a signal
 * handler of its own, with which it survives its own signal like PID 1.
 */
function asFirstProcess(cwd: string): string[] {
  const unshare = ['unshare', '--pid', '--fork', '--mount-proc'];
  for (const launcher of [unshare, [...unshare, '--user', '--map-root-user']]) {
    const [file = '', ...args] = launcher;
    if (spawnSync(file, [...args, 'true']).status === 0) return [...launcher, ...COMMAND];
  }
  const program = `process.on('SIGTERM', () => undefined)`;
  return commandWith(cwd, program);
}

/** The process forked by a launcher; undefined if the launcher became cli itself. */
function firstChild(pid: number): number | undefined {
  const command = readFileSync(`${PROC}/${pid}/cmdline`, 'latin1');
  if (!command.startsWith('unshare\0')) return undefined;
  return Number.parseInt(readFileSync(`${PROC}/${pid}/task/${pid}/children`, 'latin1'), 10);
}
