import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { finish } from '../support/cli.ts';
import { writeScript } from '../support/export/write_script.ts';
import { needs } from '../support/needs.ts';
import {
  bench,
  FAMILY,
  FAMILY_READY,
  runDetached,
  step,
  waitFor,
  type Bench,
  SETSID,
} from '../support/processes/bench.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C, terminal } from '../support/processes/terminal.ts';

const HOOKS = { error: 'echo error >>log', finally: 'echo finally >>log' };
const LATER = 'echo later >>log';

/** A test bench with the exported script of the workflow `x`. */
async function scriptBench(t: TestContext, steps: readonly unknown[]): Promise<Bench> {
  const subject = bench(t, { ...HOOKS, workflows: { x: { steps } } });
  await writeScript(subject);
  return subject;
}

/** Starts the script in a session of its own, and sends it a signal when the log has a number of lines. */
async function signalAt(
  subject: Bench,
  lines: readonly string[],
  signal: NodeJS.Signals,
  to: 'script' | 'group' = 'script',
): Promise<object> {
  const { pid, ended } = runDetached(subject, ['x.sh'], ['bash']);
  await subject.logged(...lines);
  process.kill(to === 'group' ? -pid : pid, signal);
  const { code, signal: died, stdout } = await ended;
  return { code, signal: died, stdout };
}

const diedOf = (signal: NodeJS.Signals): object => ({ code: null, signal, stdout: '' });

describe('an exported script', { concurrency: 2, ...LINUX, ...needs('python3') }, () => {
  test('Ctrl-C reaches the step of a script once, the hooks run, and no later step starts', async (t) => {
    const subject = await scriptBench(t, [step('a'), LATER]);
    const shown = terminal(t, subject.cwd, 'bash', ['-c', 'exec bash x.sh']);
    await subject.logged('a ready');
    shown.type(CTRL_C);
    assert.deepEqual(await shown.ended, { code: null, signal: 'SIGINT' });
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGINT', 'error', 'finally']);
    assert.deepEqual(subject.survivors(), []);
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    for (const to of ['script', 'group'] as const) {
      test(`${signal} to the ${to} is forwarded once, and the script terminates by it after the hooks`, async (t) => {
        const subject = await scriptBench(t, [`${SETSID} ${step('a')} & ${step('b')}; wait`, LATER]);
        assert.deepEqual(await signalAt(subject, ['a ready', 'b ready'], signal, to), diedOf(signal));
        const log = subject.log();
        assert.deepEqual(log.slice(-2), ['error', 'finally']);
        const got = log.slice(0, -2).toSorted();
        // A background command of a script ignores SIGINT unless it handles it, as this one does.
        assert.deepEqual(got, [`a got ${signal}`, 'a ready', `b got ${signal}`, 'b ready']);
        assert.deepEqual(subject.survivors(), []);
      });
    }
  }

  test('a script is interrupted even if the step exits with 0', async (t) => {
    const subject = await scriptBench(t, [step('a', 'exits with 0'), LATER]);
    assert.deepEqual(await signalAt(subject, ['a ready'], 'SIGTERM'), diedOf('SIGTERM'));
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGTERM', 'error', 'finally']);
    assert.deepEqual(subject.survivors(), []);
  });

  test('a script gives a step time to clean up after SIGHUP', async (t) => {
    const subject = await scriptBench(t, [step('a', 'cleans up'), LATER]);
    assert.deepEqual(await signalAt(subject, ['a ready'], 'SIGHUP'), diedOf('SIGHUP'));
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGHUP', 'a is clean', 'error', 'finally']);
    assert.deepEqual(subject.survivors(), []);
  });

  test('a script kills a step that ignores SIGTERM', async (t) => {
    const subject = await scriptBench(t, [step('a', 'ignores'), LATER]);
    assert.deepEqual(await signalAt(subject, ['a ready'], 'SIGTERM'), diedOf('SIGTERM'));
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGTERM', 'error', 'finally']);
    assert.deepEqual(subject.survivors(), []);
  });

  test('a script terminates all processes of a step', async (t) => {
    const subject = await scriptBench(t, [`${FAMILY}\n${step('a')}`, LATER]);
    assert.deepEqual(await signalAt(subject, ['a ready', ...FAMILY_READY], 'SIGTERM'), diedOf('SIGTERM'));
    assert.deepEqual(subject.log().slice(-2), ['error', 'finally']);
    assert.deepEqual(subject.survivors(), []);
  });

  test('a script terminates a process whose name looks like other fields of /proc', async (t) => {
    const name = "'x\n1) Z (y'";
    const says = 'trap "echo strange got SIGTERM >>log; exit 1" TERM; echo strange ready >>log; sleep 20 & wait';
    const subject = await scriptBench(t, [`cp "$(type -P bash)" ${name}; ./${name} -c '${says}'`]);
    assert.deepEqual(await signalAt(subject, ['strange ready'], 'SIGTERM'), diedOf('SIGTERM'));
    assert.deepEqual(subject.log(), ['strange ready', 'strange got SIGTERM', 'error', 'finally']);
  });

  test('a script forwards a signal to each member of a group once', async (t) => {
    const parallel = [step('a'), { parallel: [step('b'), step('c')] }];
    const subject = await scriptBench(t, [{ parallel }, LATER]);
    assert.deepEqual(await signalAt(subject, ['a ready', 'b ready', 'c ready'], 'SIGTERM'), diedOf('SIGTERM'));
    const log = subject.log();
    assert.deepEqual(log.slice(-2), ['error', 'finally']);
    const names = ['a', 'b', 'c'].flatMap((name) => [`${name} got SIGTERM`, `${name} ready`]);
    assert.deepEqual(log.slice(0, -2).toSorted(), names);
    assert.deepEqual(subject.survivors(), []);
  });

  test('with fail_fast a script terminates the other members of a group, and waits for each', async (t) => {
    const names = ['a', 'b', 'c'];
    const ready = names.map((name) => waitFor(`${name} ready`)).join('; ');
    const parallel = [...names.map((name) => step(name)), `${ready}; exit 3`];
    const subject = await scriptBench(t, [{ parallel, fail_fast: true }, LATER]);
    const { code, stdout } = await finish('bash', ['x.sh'], { cwd: subject.cwd });
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    const log = subject.log();
    assert.deepEqual(log.slice(-2), ['error', 'finally']);
    const lines = names.flatMap((name) => [`${name} got SIGTERM`, `${name} ready`]);
    assert.deepEqual(log.slice(0, -2).toSorted(), lines);
    assert.deepEqual(subject.survivors(), []);
  });

  test('a script terminates all processes of a step at its time limit', async (t) => {
    const command = `${SETSID} ${step('a')} & ${step('b')}; wait`;
    const subject = await scriptBench(t, [{ run: command, timeout: '4s', allow_failure: true }, LATER]);
    const { code } = await finish('bash', ['x.sh'], { cwd: subject.cwd });
    assert.equal(code, 0);
    const log = subject.log();
    assert.deepEqual(log.slice(-2), ['later', 'finally']);
    assert.deepEqual(log.slice(0, -2).toSorted(), ['a got SIGTERM', 'a ready', 'b got SIGTERM', 'b ready']);
    assert.deepEqual(subject.survivors(), []);
  });
});
