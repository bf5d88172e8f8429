import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { needs } from '../support/needs.ts';
import { FAMILY, FAMILY_READY, bench, hold, interruptAt, waitFor } from '../support/processes/bench.ts';
import { COMMAND, commandWith } from '../support/cli.ts';
import { runDetached, runInTerminal, step } from '../support/processes/bench.ts';
import { processState } from '../support/processes/processes.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C } from '../support/processes/terminal.ts';
import { until } from '../support/until.ts';

const HOOK = 'echo hook >>log';
const LATER = 'echo later >>log';
const RUN = ['workflow', 'run', 'x'];

describe('the tree of a step', { concurrency: 4, ...LINUX, ...needs('python3') }, () => {
  test('is ended as a whole by SIGTERM to the runner alone, children, background, sessions and orphans', async (t) => {
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

  test('is ended as a whole by Ctrl-C too, even what the terminal does not reach', async (t) => {
    const command = `${FAMILY}\n${step('a')}`;
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
    const shown = runInTerminal(subject, 'x');
    await subject.logged('a ready', ...FAMILY_READY);
    shown.type(CTRL_C);
    assert.deepEqual(await shown.ended, { code: null, signal: 'SIGINT' });
    assert.deepEqual(subject.survivors(), []);
    assert.deepEqual(subject.log().slice(-2), ['a got SIGINT', 'hook']);
  });

  test('is killed five seconds after a SIGTERM that it ignores, and then the hook runs', async (t) => {
    const command = `${step('a', 'ignores')} & ${step('b', 'ignores')}`;
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
    const { pid, ended } = runDetached(subject, RUN);
    await subject.logged('a ready', 'b ready');
    process.kill(pid, 'SIGTERM');
    const asked = performance.now();
    const { code, signal } = await ended;
    const took = performance.now() - asked;
    assert.deepEqual({ code, signal }, { code: null, signal: 'SIGTERM' });
    assert.ok(took > 4900, `it took ${took} ms`);
    const log = subject.log();
    assert.equal(log.pop(), 'hook');
    assert.deepEqual(log.toSorted(), ['a got SIGTERM', 'a ready', 'b got SIGTERM', 'b ready']);
    assert.deepEqual(subject.survivors(), []);
  });

  test('is ended by SIGTERM even when it is stopped', async (t) => {
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

  test('may leave a process that holds the output: the run ends at once and leaves it alone', async (t) => {
    const command = `${hold('daemon')} & ${waitFor('daemon ready')}; exit 0`;
    const subject = bench(t, { after_all: HOOK, workflows: { x: { steps: [command, LATER] } } });
    const { code, signal } = await runDetached(subject, RUN).ended;
    assert.deepEqual({ code, signal }, { code: 0, signal: null });
    assert.deepEqual(subject.log(), ['daemon ready', 'later', 'hook']);
    await until(
      () => subject.survivors().join() === 'sleep 60',
      () => 'the process is still there, and nothing else is',
    );
  });

  test('includes, on interruption, what an earlier step left', async (t) => {
    const command = `${hold('daemon')} & ${waitFor('daemon ready')}; exit 0`;
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, step('a')] } } });
    assert.deepEqual(await interruptAt(subject, 'x', 'a ready'), { code: null, signal: 'SIGINT' });
    assert.deepEqual(subject.survivors(), []);
    assert.deepEqual(subject.log(), ['daemon ready', 'a ready', 'a got SIGINT', 'hook']);
  });

  test('is ended by SIGTERM to a runner that is PID 1 of a container, which exits 143', async (t) => {
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
 * What starts the tool as the first process of a PID namespace. Where that is not permitted, Node.js
 * gets a handler of its own, which makes it outlive its own signal as PID 1 does.
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

/** The process that a launcher forked; undefined if it became the runner itself. */
function firstChild(pid: number): number | undefined {
  const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  if (!command.startsWith('unshare\0')) return undefined;
  return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1'), 10);
}
