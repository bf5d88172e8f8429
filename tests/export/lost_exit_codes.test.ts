/*
 * If a signal arrives between the system call that gives bash an exit code and bash's own note of it, bash loses the code, and
 * takes the process for running. strace makes that moment longer.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { writeScript } from '../support/export/write_script.ts';
import { needs } from '../support/needs.ts';
import { bench, runDetached, type Bench } from '../support/processes/bench.ts';
import { readIfThere, PROC } from '../support/processes/processes.ts';
import { LINUX } from '../support/processes/shell.ts';
import { until } from '../support/until.ts';

const HOOKS = { error: 'echo error >>log', finally: 'echo finally >>log' };
const GO = 'until [ -e go ]; do sleep 0.1; done';
const FAR_LONGER_THAN_THE_TEST = 600_000_000;

/** A shell that becomes strace once the file `trace` exists: strace may be permitted to trace only its own children. */
const TRACED = [
  'bash x.sh & echo $! >pid',
  'until [ -e trace ]; do sleep 0.1; done',
  `exec strace -qq -o trace -e trace=wait4 -e inject=wait4:delay_exit=${FAR_LONGER_THAN_THE_TEST} -p $!`,
].join('\n');

/**
 * Sends the script SIGTERM as soon as the kernel has given it the exit code of a process, which `find` finds and `end` ends.
 * The lines of the script.
 */
async function loseExitCode(
  t: TestContext,
  steps: readonly unknown[],
  find: (subject: Bench) => string | undefined,
  end: (subject: Bench, pid: string) => void,
): Promise<readonly string[]> {
  const subject = bench(t, { ...HOOKS, workflows: { x: { steps } } });
  await writeScript(subject);
  const tracer = runDetached(subject, ['-c', TRACED], ['bash']);
  await subject.logged('started');
  const script = subject.read('pid').trim();
  t.after(() => existsSync(`${PROC}/${script}`) && process.kill(Number(script), 'SIGKILL'));
  writeFileSync(join(subject.cwd, 'trace'), '');
  await until(
    () => readIfThere(`${PROC}/${script}/status`)?.includes(`\nTracerPid:\t${tracer.pid}\n`) === true,
    () => `strace traces the script: ${subject.read('err.txt')}`,
  );
  let pid: string | undefined;
  await until(
    () => (pid = find(subject)) !== undefined,
    () => 'the process has started',
  );
  end(subject, pid ?? '');
  await until(
    () => !existsSync(`${PROC}/${pid}`),
    () => `process ${pid} has ended`,
  );
  process.kill(Number(script), 'SIGTERM');
  process.kill(tracer.pid, 'SIGKILL');
  await until(
    () => !existsSync(`${PROC}/${script}`),
    () => `the script has ended: ${subject.read('err.txt')}`,
  );
  assert.deepEqual(subject.log(), ['started', 'error', 'finally']);
  return subject.read('err.txt').split('\n');
}

/** The process that a step has named, which ends once it may go on. */
const named = ({ read }: Bench): string | undefined => /\d+/u.exec(read('step'))?.[0];
const kill = (_: Bench, pid: string): void => void process.kill(Number(pid), 'SIGKILL');
const goOn = ({ cwd }: Bench): void => writeFileSync(join(cwd, 'go'), '');

/** The `sleep` of the script itself. */
function sleeping({ read }: Bench): string | undefined {
  const stat = new RegExp(String.raw`^\d+ \(sleep\) \S ${read('pid').trim()} `, 'u');
  return readdirSync(PROC).find((pid) => stat.test(readIfThere(`${PROC}/${pid}/stat`) ?? ''));
}

const IN_X = "of workflow 'x'";
const END = ["x.sh: hook 'error'", "x.sh: hook 'finally'", 'x.sh: interrupted by SIGTERM', ''];

describe('a script ends although bash has lost the exit code', { concurrency: 3, ...LINUX, ...needs('strace') }, () => {
  test('of a step', async (t) => {
    const steps = [{ name: 'a', run: `echo $$ >step; echo started >>log; ${GO}` }, 'echo later >>log'];
    assert.deepEqual(await loseExitCode(t, steps, named, goOn), [
      `x.sh: step 'a' ${IN_X}`,
      `x.sh: step 'a' ${IN_X} ended with an unknown exit code`,
      ...END,
    ]);
  });

  test('of a member of a group', async (t) => {
    const a = { name: 'a', run: `echo $PPID >step; echo started >>log; ${GO}` };
    const steps = [{ name: 'g', parallel: [a] }, 'echo later >>log'];
    assert.deepEqual(await loseExitCode(t, steps, named, goOn), [
      `x.sh: step 'g' ${IN_X}: 1 in parallel`,
      `x.sh: step 'a' ${IN_X}`,
      ...END,
    ]);
  });

  test('of the delay before a retry', async (t) => {
    const retry = { max_attempts: 2, delay: '1m' };
    const steps = [{ name: 'a', run: 'echo started >>log; false', retry }];
    assert.deepEqual(await loseExitCode(t, steps, sleeping, kill), [
      `x.sh: step 'a' ${IN_X}`,
      `x.sh: step 'a' ${IN_X} failed with exit code 1 (attempt 1 of 2)`,
      `x.sh: step 'a' ${IN_X} failed with exit code 1`,
      ...END,
    ]);
  });
});
