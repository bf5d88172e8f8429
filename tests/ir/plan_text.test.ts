import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { workflowDirectory, type CommandResult } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { ONLY_PATH } from '../support/environment.ts';

const TOO_MUCH = 'names and values expand to more than 67108864 characters (64 MiB)';

/** Distinct values of a length. */
function values(count: number, length: number): string[] {
  return Array.from({ length: count }, (_, n) => String(n).padStart(length, 'x'));
}

/** The result and the time of a command whose memory is limited. */
async function limited(cwd: string, args: readonly string[], env = ONLY_PATH): Promise<CommandResult> {
  return cli(args, { cwd, env: { ...env, NODE_OPTIONS: '--max-old-space-size=200' } });
}

/** Checks that all commands that make a plan of the workflow `w` refuse a file, with the place of a step. */
async function assertRefused(t: TestContext, file: object, place: string, workflow = 'w'): Promise<void> {
  const cwd = workflowDirectory(t, JSON.stringify(file, null, 1));
  const message = `.cli/workflow.json:${place}: error: workflow '${workflow}': ${TOO_MUCH}`;
  for (const args of [
    ['run', 'w'],
    ['run', 'w', '--dry-run'],
    ['explain', 'w'],
    ['graph', 'w'],
    ['export', 'w'],
  ]) {
    const { code, stdout, stderr } = await limited(cwd, args);
    assert.deepEqual([args, code, stdout, stderr.split('\n')[0]], [args, 2, '', message]);
  }
  const { code, stdout, stderr } = await limited(cwd, ['workflow', 'validate']);
  const errors = [{ workflow, message: TOO_MUCH }];
  assert.deepEqual([code, JSON.parse(stdout), stderr.split('\n')[0]], [1, { valid: false, errors }, message]);
  // Completion still knows the names of workflows, and no steps.
  const words = async (...line: string[]): Promise<string> => {
    return (await limited(cwd, ['completion', 'words', 'fish', 'cli', ...line])).stdout;
  };
  assert.match(await words('run', ''), /^w\t/m);
  assert.equal(await words('run', 'w', '--only', ''), '');
}

test('a matrix whose names are too long for memory is refused at its step', async (t) => {
  const matrix = { A: values(45, 5000), B: values(45, 5000), C: values(45, 5000) };
  const steps = ['true', { run: 'echo', matrix }];
  await assertRefused(t, { workflows: { w: { steps } } }, '6:5');
});

test('calls that multiply variables are refused at the last call, in the workflow that is too large', async (t) => {
  const variables = Object.fromEntries(values(1000, 8).map((name) => [`V${name}`, '']));
  const file = {
    workflows: {
      w: { steps: Array.from({ length: 3 }, () => ({ workflow: 'x' })) },
      x: { steps: [{ workflow: 'y', matrix: { A: values(100, 3), B: values(100, 3) } }] },
      y: { env: variables, steps: ['true'] },
    },
  };
  await assertRefused(t, file, '18:5', 'x');
});

test('calls of workflows in deeply nested included files count the variables of every file', async (t) => {
  const cwd = workflowDirectory(t, {
    include: { a: '../f0.json' },
    workflows: {
      w: { steps: [{ workflow: `${'a:'.repeat(100)}w`, matrix: { A: values(100, 3), B: values(100, 3) } }] },
    },
  });
  for (let n = 0; n < 100; n += 1) {
    const include = n < 99 ? { include: { a: `f${n + 1}.json` } } : {};
    const file = { ...include, env: { A: `${n}` }, workflows: { w: { steps: ['true'] } } };
    writeFileSync(join(cwd, `f${n}.json`), JSON.stringify(file));
  }
  const { code, stderr } = await limited(cwd, ['run', 'w', '--dry-run']);
  assert.deepEqual([code, stderr.includes(`error: workflow 'w': ${TOO_MUCH}`)], [2, true]);
});

/** A file with 1024 steps. Each has two values of a length in its name, and in its variables. */
function fileOf(length: number): object {
  const matrix = { A: values(32, length), B: values(32, length) };
  return { workflows: { w: { steps: [{ run: 'true', matrix }] } } };
}

test('a plan of nearly 64 MiB of names and values can be shown with little memory', async (t) => {
  const fits = await limited(workflowDirectory(t, fileOf(16_000)), ['run', 'w', '--dry-run']);
  assert.deepEqual([fits.code, fits.stderr.includes('error')], [0, false]);
  const over = await limited(workflowDirectory(t, fileOf(16_400)), ['run', 'w', '--dry-run']);
  assert.deepEqual([over.code, over.stderr.includes(TOO_MUCH)], [2, true]);
});

test('values that references multiply are refused at the reference, with the place of the value', async (t) => {
  const step = { run: 'true', matrix: { N: values(1000, 4) }, with: { COPY: '${vars.BIG}' } };
  const cwd = workflowDirectory(t, { workflows: { w: { steps: [step] } } });
  const env = { ...ONLY_PATH, BIG: 'x'.repeat(100_000) };
  for (const args of [
    ['run', 'w'],
    ['run', 'w', '--dry-run'],
  ]) {
    const { code, stdout, stderr } = await limited(cwd, args, env);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(
      stderr,
      /^\.cli\/workflow\.json:\d+:\d+: error: workflow 'w': step 1: 'with\.COPY': \$\{vars\.BIG\}: with its value, the values of the plan have more than 67108864 characters \(64 MiB\)\n/,
    );
  }
  const small = await limited(cwd, ['run', 'w', '--dry-run'], { ...ONLY_PATH, BIG: 'x' });
  assert.equal(small.code, 0);
});

test('the path of a directory that references make too long is refused before it is joined', async (t) => {
  const step = { run: 'true', dir: '${vars.BIG}'.repeat(1000) };
  const cwd = workflowDirectory(t, { workflows: { w: { steps: [step] } } });
  const { code, stderr } = await limited(cwd, ['run', 'w', '--dry-run'], { ...ONLY_PATH, BIG: 'x'.repeat(100_000) });
  assert.equal(code, 2);
  assert.match(
    stderr,
    /error: workflow 'w': step 1: 'dir': \$\{vars\.BIG\}: with its value, the values of the plan have/,
  );
});

test('validate refuses values of the file that references multiply', async (t) => {
  const step = { run: 'true', matrix: { N: values(1000, 4) }, with: { COPY: '${vars.BIG}' } };
  const cwd = workflowDirectory(t, { env: { BIG: 'x'.repeat(100_000) }, workflows: { w: { steps: [step] } } });
  const { code, stdout } = await limited(cwd, ['workflow', 'validate']);
  const problem = 'with its value, the values of the plan have more than 67108864 characters (64 MiB)';
  const errors = [{ workflow: 'w', message: `step 1: 'with.COPY': \${vars.BIG}: ${problem}` }];
  assert.deepEqual([code, JSON.parse(stdout)], [1, { valid: false, errors }]);
});
