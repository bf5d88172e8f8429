/* The standard output of steps with outputs, which cli receives and passes on. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { bench, hold, interruptAt, runDetached, step, waitFor, SETSID } from '../support/processes/bench.ts';
import {
  cliWithAnnouncements,
  COMMAND,
  COMMAND_LINE,
  finish,
  withoutTimes,
  workflowDirectory,
} from '../support/cli.ts';
import { LINUX, script } from '../support/processes/shell.ts';
import { until } from '../support/until.ts';
import { entry } from '../support/workflow.ts';

const HOOKS = { error: 'echo error >>log', finally: 'echo finally >>log' };
const HOOKS_RAN = { error: { command: HOOKS.error, exit_code: 0 }, finally: { command: HOOKS.finally, exit_code: 0 } };
const RUN = ['workflow', 'run', 'x'];
const DONE = { code: 0, signal: null };
const ANNOUNCED = "cli: step 'a' of workflow 'x'\n";

/** A step whose standard output is captured; `B` is all of it. */
function captured(run: string, more: object = {}): object {
  return { name: 'a', run, outputs: { B: '$' }, ...more };
}

function file(steps: readonly unknown[], more: object = {}): object {
  return { ...more, workflows: { x: { steps } } };
}

/** A shell command that waits for the test. */
const WAIT = 'until [ -e seen ]; do sleep 0.1; done';

describe('the output of a step with outputs', { concurrency: 4 }, () => {
  test('captured output appears on standard error at once, while the step is running', async (t) => {
    const cwd = workflowDirectory(t, file([captured(`printf '['; ${WAIT}; echo ']'; echo more >&2`)]));
    const [program, ...args] = COMMAND;
    const child = spawn(program, [...args, ...RUN], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const shown = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (shown.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (shown.stderr += text));
    await until(
      () => shown.stderr === `${ANNOUNCED}[`,
      () => shown.stderr,
    );
    writeFileSync(join(cwd, 'seen'), '');
    await once(child, 'close');
    assert.match(shown.stderr, /^.*\n\[(?:\]\nmore|more\n\])\ncli: step 'a' of workflow 'x' succeeded, /);
    const { steps } = JSON.parse(shown.stdout);
    assert.deepEqual(steps[0].outputs, { B: '[]' });
  });

  test('captured output is passed on byte for byte, even if it is not UTF-8', async (t) => {
    const run = String.raw`printf 'a\xff\x00\xfe\r\x1b[31m\n'`;
    const cwd = workflowDirectory(t, file([captured(run)]));
    await script('cli workflow run x 2>bytes >result.json', { cwd });
    const printed = Buffer.from([0x61, 0xff, 0x00, 0xfe, 0x0d, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x0a]);
    const bytes = readFileSync(join(cwd, 'bytes')).subarray(ANNOUNCED.length);
    assert.deepEqual(bytes.subarray(0, printed.length), printed);
    assert.deepEqual(JSON.parse(readFileSync(join(cwd, 'result.json'), 'utf8')), {
      workflow: 'x',
      steps: [{ ...entry('a', run), error: "output 'B': standard output is not one JSON text: it is not UTF-8" }],
      success: false,
    });
  });

  test('up to 16 MiB of output are captured', LINUX, async (t) => {
    // Includes the quotes and the line feed.
    const run = `printf '"'; head -c ${16 * 2 ** 20 - 3} /dev/zero | tr '\\0' x; echo '"'`;
    const cwd = workflowDirectory(t, file([captured(run)]));
    const { stdout } = await script('cli workflow run x --quiet 2>&1 >result.json | cksum', { cwd });
    const { stdout: expected } = await script(`( ${run} ) | cksum`, { cwd });
    assert.equal(stdout, expected);
    const { success, steps } = JSON.parse(readFileSync(join(cwd, 'result.json'), 'utf8'));
    assert.deepEqual([success, steps[0].outputs.B.length], [true, 16 * 2 ** 20 - 3]);
  });

  test('more than 16 MiB of output is a failure, and is passed on', LINUX, async (t) => {
    const run = `printf '"'; head -c ${16 * 2 ** 20 - 2} /dev/zero | tr '\\0' x; echo '"'`;
    const cwd = workflowDirectory(t, file([captured(run)]));
    await script('cli workflow run x 2>stderr.txt >result.json', { cwd });
    const { stdout } = await script('head -c 16777247 stderr.txt | cksum', { cwd });
    const { stdout: expected } = await script(`( printf "${ANNOUNCED}"; ${run} ) | cksum`, { cwd });
    assert.equal(stdout, expected);
    const problem = "output 'B': standard output has more than 16777216 bytes (16 MiB)";
    const lines = readFileSync(join(cwd, 'stderr.txt'), 'utf8').slice(16_777_247).split('\n');
    assert.equal(
      lines[0]?.replace(/, [\d.]+ m?s$/, ''),
      `cli: step 'a' of workflow 'x' failed after exit code 0: ${problem}`,
    );
    assert.deepEqual(JSON.parse(readFileSync(join(cwd, 'result.json'), 'utf8')), {
      workflow: 'x',
      steps: [{ ...entry('a', run), error: problem }],
      success: false,
    });
  });

  test('fifty megabytes from five writers are passed on completely, and not kept in memory', LINUX, async (t) => {
    const letters = ['v', 'w', 'x', 'y', 'z'];
    const writers = letters.map((letter) => `head -c 10000000 /dev/zero | tr '\\0' ${letter} &`).join(' ');
    const steps = [captured(`${writers} wait`, { allow_failure: true }), 'cat /proc/$PPID/status >status'];
    const cwd = workflowDirectory(t, file(steps));
    await script(
      `cli workflow run x 2>stderr.txt >/dev/null; tail -c +${ANNOUNCED.length + 1} stderr.txt | head -c 50000000 >printed`,
      { cwd },
    );
    const { stdout } = await script(`for each in ${letters.join(' ')}; do tr -cd $each <printed | wc -c; done`, {
      cwd,
    });
    assert.equal(stdout, '10000000\n'.repeat(5));
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(join(cwd, 'status'), 'utf8'));
    assert.ok(Number(peak?.[1]) < 150_000, `the peak was ${peak?.[1]} kB`);
  });

  test('the output of failed attempts is not kept in memory', LINUX, async (t) => {
    const retry = { max_attempts: 20, delay: '1ms' };
    const run = 'head -c 16000000 /dev/zero; exit 1';
    const steps = [captured(run, { retry, allow_failure: true }), 'cat /proc/$PPID/status >status'];
    const cwd = workflowDirectory(t, file(steps));
    await script('cli workflow run x 2>/dev/null >/dev/null', { cwd });
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(join(cwd, 'status'), 'utf8'));
    assert.ok(Number(peak?.[1]) < 200_000, `the peak was ${peak?.[1]} kB`);
  });

  test('without a reader of standard error the output is lost, but the outputs are read', async (t) => {
    const cwd = workflowDirectory(
      t,
      file([captured('sleep 0.1; seq 1 100000 >&2; echo 7'), 'echo ${steps.a.B} >seven']),
    );
    for (const closed of ['2>&-', '2> >(true)']) {
      await script(`rm -f seven; cli workflow run x >result.json ${closed}`, { cwd });
      const { steps } = JSON.parse(readFileSync(join(cwd, 'result.json'), 'utf8'));
      assert.deepEqual(steps[0].outputs, { B: '7' }, closed);
      assert.equal(readFileSync(join(cwd, 'seven'), 'utf8'), '7\n');
    }
  });
});

describe('the end of a step with outputs', { concurrency: 4 }, () => {
  test('the end does not wait for a process that holds the output, which continues and may print later', async (t) => {
    const server = `( echo "$BASHPID" >pid; until [ -e go ]; do sleep 0.1; done; echo 'the server speaks'; echo spoke >>log; exec ${hold('server')} ) &`;
    const later = `: >go; ${waitFor('server ready')}`;
    const subject = bench(t, file([captured(`${server} echo 1`), later, 'echo "${steps.a.B}" >>log']));
    const { code, signal, stderr } = await runDetached(subject, RUN).ended;
    assert.deepEqual({ code, signal }, DONE);
    assert.deepEqual(subject.log(), ['spoke', 'server ready', '1']);
    assert.deepEqual(withoutTimes(stderr).split('\n'), [
      "cli: step 'a' of workflow 'x'",
      '1',
      "cli: step 'a' of workflow 'x' succeeded, <time>",
      "cli: step 'step_2' of workflow 'x'",
      'the server speaks',
      "cli: step 'step_2' of workflow 'x' succeeded, <time>",
      "cli: step 'step_3' of workflow 'x'",
      "cli: step 'step_3' of workflow 'x' succeeded, <time>",
      "cli: workflow 'x' succeeded: 3 steps ran, <time>",
      '',
    ]);
    await subject.leaves('sleep 60');
  });

  test('the end waits for a process substitution that prints after its shell', async (t) => {
    const command = 'echo 1 > >(read -r n; while kill -0 $$; do sleep 0.01; done 2>/dev/null; echo "[$n, 2]")';
    const subject = bench(t, file([captured(command)]));
    const { code, signal } = await runDetached(subject, RUN).ended;
    assert.deepEqual({ code, signal }, DONE);
    const steps = [{ ...entry('a', command), outputs: { B: '[1,2]' } }];
    assert.deepEqual(subject.document(), { workflow: 'x', steps, success: true });
  });

  test('Ctrl-C during a step with outputs interrupts the run', async (t) => {
    const subject = bench(t, file([captured(step('a')), 'echo later >>log'], HOOKS));
    assert.deepEqual(await interruptAt(subject, 'x', 'a ready'), { code: null, signal: 'SIGINT' });
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGINT', 'error', 'finally']);
    const steps = [entry('a', step('a'), 130)];
    assert.deepEqual(subject.document(), { workflow: 'x', steps, ...HOOKS_RAN, success: false, interrupted: 'SIGINT' });
    assert.deepEqual(subject.survivors(), []);
  });

  test('SIGTERM during a step with outputs terminates its process tree', async (t) => {
    const command = `${SETSID} ${hold('session')} & ( ${hold('orphan')} & ) ; ${step('a')} | cat`;
    const subject = bench(t, file([captured(command)], HOOKS));
    const { pid, ended } = runDetached(subject, RUN);
    await subject.logged('session ready', 'orphan ready', 'a ready');
    process.kill(pid, 'SIGTERM');
    const { code, signal } = await ended;
    assert.deepEqual({ code, signal }, { code: null, signal: 'SIGTERM' });
    assert.deepEqual(subject.survivors(), []);
    assert.deepEqual(subject.log().slice(-2), ['error', 'finally']);
  });

  test('a step that exceeds its time limit has no outputs, and its output was shown', async (t) => {
    const cwd = workflowDirectory(t, file([captured('echo 1; sleep 60', { timeout: '1s' })]));
    const { code, stdout, stderr } = await cliWithAnnouncements(RUN, { cwd });
    const steps = [entry('a', 'echo 1; sleep 60', 124)];
    assert.deepEqual(JSON.parse(stdout), { workflow: 'x', steps, success: false });
    assert.equal(code, 1);
    assert.ok(stderr.startsWith(`${ANNOUNCED}1\ncli: step 'a' of workflow 'x' timed out after 1s, <time>\n`), stderr);
  });

  test('the outputs are those of the last attempt', async (t) => {
    const command = '[ -e first ] && echo 2 || { echo 1; : >first; exit 1; }';
    const cwd = workflowDirectory(t, file([captured(command, { retry: { max_attempts: 2, delay: '1ms' } })]));
    const { stdout } = await cliWithAnnouncements(RUN, { cwd });
    const steps = [{ ...entry('a', command), outputs: { B: '2' }, attempts: 2 }];
    assert.deepEqual(JSON.parse(stdout), { workflow: 'x', steps, success: true });
  });

  test('a step can be a nested run with outputs of its own', async (t) => {
    const inner = { private: true, steps: [captured(`echo '"from within"'`)] };
    const outer = { name: 'b', run: `${COMMAND_LINE} workflow run y`, outputs: { C: '$.steps[0].outputs.B' } };
    const cwd = workflowDirectory(t, { workflows: { x: { steps: [outer, 'echo "${steps.b.C}" >got'] }, y: inner } });
    const { code, stderr } = await cliWithAnnouncements(RUN, { cwd });
    assert.equal(code, 0, stderr);
    assert.equal(readFileSync(join(cwd, 'got'), 'utf8'), 'from within\n');
  });

  test(
    'opening /dev/stdout in a step with outputs fails, because it is a socket, but works before a pipe',
    LINUX,
    async (t) => {
      const steps = [
        captured('echo 1 >/dev/stdout', { allow_failure: true }),
        { ...captured('echo 1 >/dev/stdout | cat'), name: 'b' },
      ];
      const cwd = workflowDirectory(t, file(steps));
      const { stdout } = await cliWithAnnouncements(RUN, { cwd });
      assert.deepEqual(JSON.parse(stdout).steps, [
        { ...entry('a', 'echo 1 >/dev/stdout', 1), allowed_failure: true },
        { ...entry('b', 'echo 1 >/dev/stdout | cat'), outputs: { B: '1' } },
      ]);
    },
  );

  test('a step with outputs reads standard input like any other', async (t) => {
    const cwd = workflowDirectory(t, file([captured('read -r line; echo "$line"'), 'cat >rest']));
    const { stdout } = await finish('bash', ['-c', `${COMMAND_LINE} workflow run x`], { cwd, input: '[1]\nrest\n' });
    assert.deepEqual(JSON.parse(stdout).steps[0].outputs, { B: '[1]' });
    assert.equal(readFileSync(join(cwd, 'rest'), 'utf8'), 'rest\n');
  });
});
