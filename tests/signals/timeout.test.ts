import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { needs } from '../support/needs.ts';
import {
  FAMILY,
  FAMILY_READY,
  bench,
  hold,
  runDetached,
  runInTerminal,
  step,
  waitFor,
  type Bench,
  SETSID,
} from '../support/processes/bench.ts';
import { COMMAND_LINE } from '../support/cli.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C } from '../support/processes/terminal.ts';
import { entry } from '../support/workflow.ts';

const HOOKS = { error: 'echo error >>log', finally: 'echo finally >>log' };
const HOOKS_RAN = { error: { command: HOOKS.error, exit_code: 0 }, finally: { command: HOOKS.finally, exit_code: 0 } };
const RUN = ['workflow', 'run', 'x'];
const TIMED_OUT = { code: 1, signal: null };

/** A file with one step that has a limit. */
function timed(run: string, timeout: string, more: object = {}): object {
  return { ...HOOKS, workflows: { x: { steps: [{ run, timeout, ...more }] } } };
}

/** Runs to the end without a terminal; returns how it ended, its milliseconds, and standard error. */
async function runs(subject: Bench): Promise<{ end: object; took: number; stderr: string }> {
  const before = performance.now();
  const { code, signal, stderr } = await runDetached(subject, RUN).ended;
  return { end: { code, signal }, took: performance.now() - before, stderr };
}

/** The document of a run whose only step timed out. */
function late(command: string, more: object = {}): object {
  return { workflow: 'x', steps: [entry('step_1', command, 124)], ...HOOKS_RAN, success: false, ...more };
}

describe('a step with a time limit', { concurrency: 6, ...LINUX, ...needs('python3') }, () => {
  test('at the time limit all processes of the step end: children, background processes, sessions and orphans', async (t) => {
    const command = `${FAMILY}\n${hold('a')}; true`;
    const subject = bench(t, timed(command, '3s'));
    const { end, stderr } = await runs(subject);
    assert.deepEqual(end, TIMED_OUT);
    assert.deepEqual(subject.survivors(), []);
    assert.deepEqual(subject.log().slice(0, -2).toSorted(), ['a ready', ...FAMILY_READY]);
    assert.deepEqual(subject.log().slice(-2), ['error', 'finally']);
    assert.deepEqual(subject.document(), late(command));
    assert.ok(stderr.includes("cli: step 'step_1' of workflow 'x' timed out after 3s, "), stderr);
  });

  test('a step that receives SIGTERM at its time limit has timed out, even if it exits with 0', async (t) => {
    const command = `trap 'echo asked >>log; exit 0' TERM; echo ready >>log; while :; do sleep 0.05; done`;
    const subject = bench(t, timed(command, '1s'));
    assert.deepEqual((await runs(subject)).end, TIMED_OUT);
    assert.deepEqual(subject.log(), ['ready', 'asked', 'error', 'finally']);
    assert.deepEqual(subject.document(), late(command));
  });

  test('a step that ignores SIGTERM is killed five seconds after its time limit, with its background processes', async (t) => {
    const command = `trap '' TERM; ${hold('background')} & ${hold('a')}`;
    const subject = bench(t, timed(command, '500ms'));
    const { end, took } = await runs(subject);
    assert.deepEqual(end, TIMED_OUT);
    assert.ok(took >= 5400, `it took ${took} ms`);
    assert.deepEqual(subject.survivors(), []);
    assert.deepEqual(subject.document(), late(command));
  });

  test('background processes that ignore SIGTERM are killed five seconds after the time limit, even if the step has ended', async (t) => {
    const ready = waitFor('background ready');
    const command = `( trap '' TERM; ${hold('background')} ) & ${ready}; echo waiting >>log; sleep 60; true`;
    const subject = bench(t, timed(command, '2s'));
    const { end, took } = await runs(subject);
    assert.deepEqual(end, TIMED_OUT);
    assert.ok(took >= 6900, `it took ${took} ms`);
    assert.deepEqual(subject.survivors(), []);
    assert.deepEqual(subject.log(), ['background ready', 'waiting', 'error', 'finally']);
    assert.deepEqual(subject.document(), late(command));
  });

  test('background processes have five seconds to clean up after the time limit', async (t) => {
    const command = `( trap 'sleep 1; echo clean >>log; exit' TERM; while :; do sleep 0.05; done ) & sleep 60`;
    const subject = bench(t, timed(command, '1s'));
    assert.deepEqual((await runs(subject)).end, TIMED_OUT);
    assert.deepEqual(subject.log(), ['clean', 'error', 'finally']);
  });

  test('a stopped step ends at its time limit', async (t) => {
    const command = 'kill -STOP $$';
    const subject = bench(t, timed(command, '300ms'));
    assert.deepEqual((await runs(subject)).end, TIMED_OUT);
    assert.deepEqual(subject.document(), late(command));
  });

  for (const [kind, limit] of [
    ['without', {}],
    ['with', { timeout: '1m' }],
  ] as const) {
    test(`a timeout leaves processes of an earlier attempt and of an earlier step ${kind} a limit running`, async (t) => {
      const server = `${SETSID} ${hold('server')} & ${waitFor('server ready')}`;
      const first = `[ -e first ] || { : >first; ( ${hold('helper')} & ); ${waitFor('helper ready')}; exit 1; }`;
      const retry = { max_attempts: 2, delay: '1ms' };
      const steps = [
        { run: server, ...limit },
        { run: `${first}; sleep 60`, timeout: '3s', retry },
      ];
      const subject = bench(t, { workflows: { x: { steps } } });
      assert.deepEqual((await runs(subject)).end, TIMED_OUT);
      assert.deepEqual(subject.log(), ['server ready', 'helper ready']);
      await subject.leaves('sleep 60', 'sleep 60');
    });
  }

  test('a nested run receives SIGTERM at its time limit, terminates its step and runs its hooks', async (t) => {
    const inner = `${COMMAND_LINE} workflow run y >inner.json`;
    const workflows = { x: { steps: [{ run: inner, timeout: '6s' }] }, y: { steps: [step('a')] } };
    const subject = bench(t, { ...HOOKS, workflows });
    assert.deepEqual((await runs(subject)).end, TIMED_OUT);
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGTERM', 'error', 'finally', 'error', 'finally']);
    const steps = [entry('step_1', step('a'), 143)];
    assert.deepEqual(JSON.parse(readFileSync(join(subject.cwd, 'inner.json'), 'utf8')), {
      workflow: 'y',
      steps,
      ...HOOKS_RAN,
      success: false,
      interrupted: 'SIGTERM',
    });
    assert.deepEqual(subject.survivors(), []);
  });

  test('a step that ends in time keeps its background processes, and its limit does not delay the run', async (t) => {
    const command = `${hold('server')} & ${waitFor('server ready')}; exit 0`;
    const file = { workflows: { x: { steps: [{ run: command, timeout: '24h' }] } } };
    const subject = bench(t, file);
    assert.deepEqual((await runs(subject)).end, { code: 0, signal: null });
    assert.deepEqual(subject.document(), { workflow: 'x', steps: [entry('step_1', command)], success: true });
    await subject.leaves('sleep 60');
  });

  test('a step with a time limit can prompt for a password at a terminal', async (t) => {
    const command = 'read -rs -p "Password: " word </dev/tty; echo "[${#word}]"';
    const subject = bench(t, { workflows: { x: { steps: [{ run: command, timeout: '1h' }] } } });
    const shown = runInTerminal(subject, 'x');
    await shown.shows('Password: ');
    shown.type('secret\n');
    assert.deepEqual(await shown.ended, { code: 0, signal: null });
    const screen = await shown.shows('[6]');
    assert.ok(!screen.includes('secret'));
  });

  test('a timed-out step receives SIGTERM once, even if the run is terminated meanwhile', async (t) => {
    const command = `trap 'echo asked >>log' TERM; until [ -e clean ]; do sleep 0.1; done; exit 3`;
    const subject = bench(t, timed(command, '1s'));
    const { pid, ended } = runDetached(subject, RUN);
    await subject.logged('asked');
    process.kill(pid, 'SIGTERM');
    // Time in which a second signal would arrive.
    await delay(300);
    writeFileSync(join(subject.cwd, 'clean'), '');
    const { code, signal } = await ended;
    assert.deepEqual({ code, signal }, { code: null, signal: 'SIGTERM' });
    assert.deepEqual(subject.log(), ['asked', 'error', 'finally']);
    assert.deepEqual(subject.document(), late(command, { interrupted: 'SIGTERM' }));
  });

  test('Ctrl-C within five seconds after a timeout interrupts the run, and the step is not retried', async (t) => {
    const command = `trap 'echo asked >>log' TERM; trap 'echo interrupted >>log; exit 3' INT; while :; do sleep 0.05; done`;
    const retry = { max_attempts: 2, delay: '24h' };
    const subject = bench(t, timed(command, '1s', { retry }));
    const shown = runInTerminal(subject, 'x');
    await subject.logged('asked');
    shown.type(CTRL_C);
    assert.deepEqual(await shown.ended, { code: null, signal: 'SIGINT' });
    assert.deepEqual(subject.log(), ['asked', 'interrupted', 'error', 'finally']);
    const steps = [{ ...entry('step_1', command, 124), attempts: 1 }];
    assert.deepEqual(subject.document(), late(command, { steps, interrupted: 'SIGINT' }));
  });

  test('a second signal after a timeout kills the step at once, and no hook runs', async (t) => {
    const command = `trap 'echo asked >>log' TERM; trap 'echo interrupted >>log' INT; while :; do sleep 0.05; done`;
    const subject = bench(t, timed(command, '1s'));
    const { pid, ended } = runDetached(subject, RUN);
    await subject.logged('asked');
    process.kill(pid, 'SIGINT');
    await subject.logged('interrupted');
    // A second signal within 300 ms of the first would count as the first.
    await delay(400);
    process.kill(pid, 'SIGTERM');
    const { code, signal } = await ended;
    assert.deepEqual({ code, signal }, { code: null, signal: 'SIGTERM' });
    assert.deepEqual(subject.log(), ['asked', 'interrupted']);
    const steps = [entry('step_1', command, 124)];
    assert.deepEqual(subject.document(), { workflow: 'x', steps, success: false, interrupted: 'SIGTERM' });
  });
});
