import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { cli, commandWith, finish, workflowDirectory } from '../support/cli.ts';
import { inProcess, toolInProcess, type Returned } from '../support/in_process.ts';
import { assertCpuTime, timed } from '../support/cpu_time.ts';

for (const [what, input, column] of [
  ['a million opening brackets', '['.repeat(1_000_000), 501],
  ['200,000 opened objects', '{"a":'.repeat(200_000), 2501],
  ['deep nesting inside a field', `{"x-a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 507],
] as const) {
  test(`${what}: an error with a position within 10 times the CPU time of parsing 8 MB`, async (t) => {
    const tool = toolInProcess(t);
    const args = ['workflow', 'validate', '--file', '-'];
    const { code, stdout, stderr } = await assertCpuTime(10, () => tool(args, { input }));
    const error = 'nested more than 500 levels deep';
    const message = `line 1, column ${column}: ${error}`;
    assert.deepEqual([code, JSON.parse(stdout)], [1, { valid: false, errors: [{ workflow: '', message }] }]);
    assert.equal(stderr.split('\n')[0], `<stdin>:1:${column}: error: ${error}`);
  });
}

test('a million opening brackets do not overflow the stack of the real process', async (t) => {
  const input = '['.repeat(1_000_000);
  const cwd = workflowDirectory(t, input);
  const { code, stdout } = await cli(['workflow', 'validate'], { cwd });
  const message = 'line 1, column 501: nested more than 500 levels deep';
  assert.deepEqual([code, JSON.parse(stdout)], [1, { valid: false, errors: [{ workflow: '', message }] }]);
});

test('a name of any length can be checked', async (t) => {
  const name = 'A'.repeat(40_000);
  for (const [file, code] of [
    [{ workflows: { ci: { steps: [`echo $${name}`] } } }, 0],
    [{ workflows: { ci: { steps: [`echo {{ ${name} }}`] } } }, 0],
    [{ secrets: { [name]: { command: ['x'] } }, workflows: { ci: { steps: [`echo $${name}`] } } }, 1],
  ] as const) {
    const ended = await inProcess(t, ['validate'], { cwd: workflowDirectory(t, file) });
    assert.equal(ended.code, code, ended.stderr.slice(0, 200));
  }
});

function times<Item>(count: number, item: Item): Item[] {
  return Array.from({ length: count }, () => item);
}

/** Workflows `w0` to `w<length - 1>`: each calls the next a number of times, and the last has a command. */
function chain(length: number, calls: number, last: string): string {
  const workflows = Object.fromEntries(
    Array.from({ length }, (_, n) => [
      `w${n}`,
      { steps: n === length - 1 ? [last] : times(calls, { workflow: `w${n + 1}` }) },
    ]),
  );
  return JSON.stringify({ workflows });
}

test('a chain of 12,000 calls can be validated, listed, shown and run', async (t) => {
  const cwd = workflowDirectory(t, chain(12_000, 1, 'echo the end'));
  assert.deepEqual(await cli(['workflow', 'run', 'w0'], { cwd }), {
    code: 0,
    signal: null,
    stdout: '{"workflow":"w0","steps":[{"name":"step_1","command":"echo the end","exit_code":0}],"success":true}\n',
    stderr: 'the end\n',
  });
  const valid = '{"valid":true,"errors":[]}\n';
  const validated = await inProcess(t, ['workflow', 'validate'], { cwd });
  assert.deepEqual(validated, { code: 0, signal: null, stdout: valid, stderr: '' });
  const shown = await inProcess(t, ['workflow', 'run', 'w0', '--dry-run'], { cwd });
  assert.deepEqual(
    [shown.code, shown.stdout, shown.stderr.split('\n').length],
    [0, '{"workflow":"w0","dry_run":true,"steps":[{"name":"step_1","command":"echo the end"}]}\n', 12_002],
  );
  const listed = await inProcess(t, ['workflow', 'list'], { cwd });
  const entries: unknown = JSON.parse(listed.stdout);
  assert.ok(Array.isArray(entries));
  assert.deepEqual([listed.code, entries.length], [0, 12_000]);
});

test('a long chain of calls that each set a variable takes linear time', async (t) => {
  const tool = toolInProcess(t);
  const args = ['workflow', 'run', 'w0', '--dry-run', '--file', '-'];
  const secondsFor = async (length: number): Promise<number> => {
    const workflows = Object.fromEntries(
      Array.from({ length }, (_, n) => [
        `w${n}`,
        { steps: n === length - 1 ? [':'] : [':', { workflow: `w${n + 1}`, with: { V: `${n}` } }] },
      ]),
    );
    const { result, seconds } = await timed(() => tool(args, { input: JSON.stringify({ workflows }) }));
    assert.equal(result.code, 0);
    return seconds;
  };
  // The first call compiles the code.
  await secondsFor(1000);
  const small = Math.max(0.02, Math.min(await secondsFor(1000), await secondsFor(1000)));
  const large = await secondsFor(8000);
  assert.ok(large < 10 * small, `8 times the calls took ${(large / small).toFixed(1)} times as long`);
});

test('a cycle of 12,000 calls is one error', async (t) => {
  const names = Array.from({ length: 12_000 }, (_, n) => `w${n}`);
  const workflows = Object.fromEntries(
    names.map((name, n) => [name, { steps: [{ workflow: `w${(n + 1) % names.length}` }] }]),
  );
  const tool = toolInProcess(t);
  const input = JSON.stringify({ workflows });
  const { code, stdout } = await tool(['workflow', 'validate', '--file', '-'], { input });
  const message = `circular dependency detected: ${[...names, 'w0'].join(' -> ')}`;
  assert.deepEqual([code, JSON.parse(stdout)], [1, { valid: false, errors: [{ workflow: 'w0', message }] }]);
});

/** 2 + 4 + … + 2^59 calls and 2^59 commands. */
const BOMB = 2n ** 60n - 2n + 2n ** 59n;
const bombMessage = (operations: bigint): string => `calls expand to ${operations} operations; the limit is 100000`;

/** The result of a command for 60 levels of two calls each, which takes at most 10 times as long as parsing 8 MB. */
function rejected(t: TestContext, ...words: readonly string[]): Promise<Returned> {
  const [input, tool] = [chain(60, 2, 'echo never'), toolInProcess(t)];
  return assertCpuTime(10, () => tool(['workflow', ...words, '--file', '-'], { input }));
}

test('run and dry run reject 60 levels of two calls each quickly, with the number of operations', async (t) => {
  const refused = { code: 2, stdout: '', stderr: `cli: workflow 'w0': ${bombMessage(BOMB)}\n` };
  assert.deepEqual(await rejected(t, 'run', 'w0'), refused);
  assert.deepEqual(await rejected(t, 'run', 'w0', '--dry-run'), refused);
});

test('validate reports 60 levels of two calls each quickly, for each workflow that is too large', async (t) => {
  const { code, stdout } = await rejected(t, 'validate');
  const errors = Array.from({ length: 60 }, (_, n) => {
    const levels = BigInt(59 - n);
    const operations = 2n ** (levels + 1n) - 2n + 2n ** levels;
    return { workflow: `w${n}`, message: bombMessage(operations), tooMany: operations > 100_000n };
  });
  const expected = errors.filter(({ tooMany }) => tooMany).map(({ workflow, message }) => ({ workflow, message }));
  assert.deepEqual([code, JSON.parse(stdout)], [1, { valid: false, errors: expected }]);
});

test('a small workflow runs in the same file as one that is too large', async (t) => {
  const cwd = workflowDirectory(t, chain(60, 2, 'echo ran'));
  const { code, stderr } = await cli(['workflow', 'run', 'w57'], { cwd });
  assert.deepEqual([code, stderr], [0, 'ran\nran\nran\nran\n']);
});

/** Each call counts as 99 operations: itself, its condition and 97 commands. The hook counts as one. */
function callingOften(calls: number): string {
  const all = { steps: times(calls, { workflow: 'one', if: 'V' }) };
  const one = { steps: times(97, 'true') };
  return JSON.stringify({ after_all: 'true', workflows: { all, one } });
}

test('the limit is exactly 100,000 operations, including calls and conditions', async (t) => {
  const tool = toolInProcess(t);
  const args = ['workflow', 'validate', '--file', '-'];
  // 1010 × (call + condition + 97) + hook = 99,991; one call more makes 100,090.
  assert.equal((await tool(args, { input: callingOften(1010) })).stdout, '{"valid":true,"errors":[]}\n');
  assert.deepEqual(JSON.parse((await tool(args, { input: callingOften(1011) })).stdout), {
    valid: false,
    errors: [{ workflow: 'all', message: bombMessage(100_090n) }],
  });
});

test('a workflow called 150 times runs 150 times', async (t) => {
  const calls = Array.from({ length: 150 }, (_, n) => ({ workflow: 'say', with: { N: `${n}` } }));
  const cwd = workflowDirectory(t, { workflows: { w: { steps: calls }, say: { private: true, steps: ['echo $N'] } } });
  const steps = calls.map(() => ({ name: 'step_1', command: 'echo $N', exit_code: 0 }));
  assert.deepEqual(await cli(['workflow', 'run', 'w'], { cwd }), {
    code: 0,
    signal: null,
    stdout: `${JSON.stringify({ workflow: 'w', steps, success: true })}\n`,
    stderr: calls.map((_, n) => `${n}\n`).join(''),
  });
});

/** Prints the peak memory of its process, in kilobytes, as the last line of standard error. */
const PEAK = `import { writeSync } from 'node:fs';
process.on('exit', () => writeSync(2, process.resourceUsage().maxRSS + '\\n'));`;

for (const [what, lineBreak] of [
  ['LF', '\n'],
  ['CR LF', '\r\n'],
] as const) {
  test(`8 MiB of line breaks (${what}) are an error within 300 MB of memory`, async (t) => {
    const count = (8 * 1024 * 1024) / lineBreak.length;
    const cwd = workflowDirectory(t, lineBreak.repeat(count));
    const [program, ...args] = commandWith(cwd, PEAK);
    const { code, stderr } = await finish(program ?? '', [...args, 'workflow', 'validate'], { cwd });
    const [error, kilobytes] = stderr.split('\n');
    assert.equal(error, `.cli/workflow.json:${count + 1}:1: error: expected a value, but the file ends here`);
    assert.equal(code, 1);
    assert.ok(Number(kilobytes) < 300_000, `${kilobytes} kB`);
  });
}
