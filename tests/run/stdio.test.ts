import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { cli, COMMAND, temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { LINUX, script } from '../support/processes/shell.ts';

/** A result document of more than 3 MB, from commands of 100 kB. */
const LONG_STEPS = Array.from({ length: 31 }, (_, index) => `: ${index} ${'x'.repeat(100_000)}`);
const LONG_DOCUMENT = `${JSON.stringify({
  workflow: 'long',
  steps: LONG_STEPS.map((command, index) => ({ name: `step_${index + 1}`, command, exit_code: 0 })),
  success: true,
})}\n`;

test('300 megabytes of output of a step take less than 100 MB of memory', LINUX, async (t) => {
  const cwd = workflowDirectory(t, {
    workflows: { w: { steps: ['head -c 300000000 /dev/zero', 'cat /proc/$PPID/status >status'] } },
  });
  const { stdout } = await script('cli workflow run w --quiet 2>&1 >result.json | wc -c', { cwd });
  assert.equal(Number(stdout), 300_000_000);
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(join(cwd, 'status'), 'utf8'));
  assert.ok(Number(peak?.[1]) < 100_000, `the peak was ${peak?.[1]} kB`);
});

test('bytes that are not UTF-8 are passed on unchanged', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { w: { steps: [String.raw`printf 'a\xff\x00\xfe\r\x1b[31m'`] } } });
  await script('cli workflow run w --quiet 2>bytes >result.json', { cwd });
  const expected = Buffer.from([0x61, 0xff, 0x00, 0xfe, 0x0d, 0x1b, 0x5b, 0x33, 0x31, 0x6d]);
  assert.deepEqual(readFileSync(join(cwd, 'bytes')), expected);
});

test('a long output is complete and in order while cli logs to the same pipe', async (t) => {
  const steps = ['seq 1 200000', 'seq 200001 200002'];
  const cwd = workflowDirectory(t, { workflows: { w: { steps } } });
  const { stdout } = await script('cli workflow run w --debug 2>&1 >/dev/null | (sleep 1; cat)', { cwd });
  const lines = stdout.split('\n');
  const numbers = lines.filter((line) => !line.startsWith('debug: '));
  assert.deepEqual(numbers, [...Array.from({ length: 200_002 }, (_, n) => String(n + 1)), '']);
  assert.deepEqual(
    [lines.indexOf('200000') + 1, lines.indexOf('200001')].map((index) => lines[index]?.replace(/\d+ ms/, 'N ms')),
    [`debug: step 'step_1' of workflow 'w' ended with exit code 0 after N ms`, '200001'],
  );
});

test('a result of three megabytes reaches a slow reader completely', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { long: { steps: LONG_STEPS } } });
  const { stdout } = await script('cli workflow run long | (sleep 1; cat)', { cwd });
  assert.equal(stdout === LONG_DOCUMENT, true, `${stdout.length} characters arrived`);
});

/** Leaves the shared pipe in non-blocking mode: Node.js sets it for its standard streams, and restores it unless killed. */
const NON_BLOCKING = `exec "${process.execPath}" -e 'process.stderr.write("x\\n", () => process.kill(process.pid, "SIGKILL"))'`;

test('the output of a group reaches a slow reader completely through a non-blocking pipe', async (t) => {
  const group = { parallel: [{ name: 'a', run: 'seq 1 300000' }] };
  const cwd = workflowDirectory(t, {
    workflows: { w: { steps: [{ run: NON_BLOCKING, allow_failure: true }, group] } },
  });
  const { stdout } = await script('cli workflow run w 2>&1 >/dev/null | (sleep 1; cat)', { cwd });
  const numbers = stdout.split('\n').flatMap((line) => (/^a │ \d/.test(line) ? Number(line.slice(4)) : []));
  assert.deepEqual([numbers.length, numbers.findIndex((number, index) => number !== index + 1)], [300_000, -1]);
});

test('a result is complete even if a command left the shared pipe in non-blocking mode', async (t) => {
  const steps = [...LONG_STEPS, { if: NON_BLOCKING, run: 'exit 1' }];
  const cwd = workflowDirectory(t, { workflows: { long: { steps } } });
  const { stdout } = await script('cli workflow run long 2>&1 | (sleep 1; cat)', { cwd });
  assert.equal(stdout === `x\n${LONG_DOCUMENT}`, true, `${stdout.length} characters arrived`);
});

test('a result to a closed pipe ends with one line and exit code 74', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { long: { steps: LONG_STEPS } } });
  const { stderr } = await script('{ cli workflow run long; echo "code $?" >&2; } | true', { cwd });
  assert.equal(stderr, 'cli: cannot write the result to standard output: EPIPE: broken pipe\ncode 74\n');
});

for (const command of [
  'workflow run w',
  'workflow run w --dry-run',
  'workflow run fails',
  'workflow list',
  'workflow validate --pretty',
  'auth status',
  'workflow run --help',
  '--version',
]) {
  test(`\`cli ${command}\` to a full disk prints the reason of the system and exits with 74`, LINUX, async (t) => {
    const cwd = workflowDirectory(t, { workflows: { w: { steps: ['true'] }, fails: { steps: ['exit 3'] } } });
    const env = { CLI_KEY_ID: 'k', CLI_ISSUER_ID: 'i', CLI_PRIVATE_KEY_B64: undefined };
    const { code, stderr } = await script(`cli ${command} >/dev/full`, { cwd, env });
    const last = stderr.trimEnd().split('\n').at(-1);
    assert.deepEqual(
      { code, last },
      { code: 74, last: 'cli: cannot write the result to standard output: ENOSPC: no space left on device' },
    );
  });
}

/** A run whose steps and hooks all print, and record in a file that they ran to the end. */
const NOISY = {
  before_all: 'echo before; echo before >>ran',
  after_all: 'echo after; echo after >>ran',
  error: 'echo error >>ran',
  workflows: { w: { steps: ["trap '' PIPE; echo step; echo step >>ran"] } },
};

test('without a reader of standard error, the error hook of a failed run runs and the document is intact', async (t) => {
  const cwd = temporaryDirectory(t, { '.cli/workflow.json': NOISY });
  const [file, ...args] = COMMAND;
  const child = spawn(file, [...args, 'workflow', 'run', 'w', '--debug'], { cwd });
  child.stdin.end();
  child.stderr.destroy();
  const [stdout, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  assert.deepEqual([code, signal, readFileSync(join(cwd, 'ran'), 'utf8')], [1, null, 'error\n']);
  assert.deepEqual(JSON.parse(stdout), {
    workflow: 'w',
    before_all: { command: NOISY.before_all, exit_code: 141 },
    steps: [],
    error: { command: NOISY.error, exit_code: 0 },
    success: false,
  });
});

test('commands without output do not fail if standard error has no reader', async (t) => {
  const cwd = workflowDirectory(t, { after_all: 'true', workflows: { w: { steps: ['true'] } } });
  const command = `exec 9> >(exit 0); wait $!; cli workflow run w --debug 2>&9; echo "code $?"`;
  assert.deepEqual(await script(command, { cwd }), {
    code: 0,
    signal: null,
    stdout: `{"workflow":"w","steps":[{"name":"step_1","command":"true","exit_code":0}],"after_all":{"command":"true","exit_code":0},"success":true}\ncode 0\n`,
    stderr: '',
  });
});

test('with a closed standard error, steps and hooks run and the document is intact', async (t) => {
  const cwd = temporaryDirectory(t, { '.cli/workflow.json': NOISY });
  const { code, stdout, stderr } = await script('cli workflow run w --debug 2>&-', { cwd });
  assert.deepEqual([code, stderr, readFileSync(join(cwd, 'ran'), 'utf8')], [0, '', 'before\nstep\nafter\n']);
  assert.deepEqual(JSON.parse(stdout), {
    workflow: 'w',
    before_all: { command: NOISY.before_all, exit_code: 0 },
    steps: [{ name: 'step_1', command: NOISY.workflows.w.steps[0], exit_code: 0 }],
    after_all: { command: NOISY.after_all, exit_code: 0 },
    success: true,
  });
});

test('a step reads the standard input of cli, which a condition before it does not', async (t) => {
  const steps = [{ if: 'cat >/dev/null', run: 'read v; echo "got $v"' }, 'read v; echo "then $v"'];
  const cwd = workflowDirectory(t, { workflows: { w: { steps } } });
  const { code, stderr } = await cli(['workflow', 'run', 'w'], { cwd, input: 'a\nb\n' });
  assert.deepEqual([code, stderr], [0, 'got a\nthen b\n']);
});

test('with a closed standard input a run works, and its steps read an empty input', async (t) => {
  const steps = [{ if: 'cat; true', run: 'cat; echo "cat gave $?"' }];
  const cwd = workflowDirectory(t, { workflows: { w: { steps } } });
  const { code, stderr } = await script('cli workflow run w <&-', { cwd });
  assert.deepEqual([code, stderr], [0, 'cat gave 0\n']);
});
