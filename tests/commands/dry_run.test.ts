import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { ci, runCi, workflow } from '../support/workflow.ts';

const file = {
  env: { STAGE: 'dev', API_TOKEN: 'hunter2' },
  before_all: 'touch ran',
  after_all: 'touch ran',
  error: 'touch ran',
  workflows: {
    ci: {
      steps: [
        'make $STAGE',
        { run: 'make notes', if: 'NOTES' },
        { workflow: 'called', if: 'touch ran', with: { TARGET: 'west' } },
      ],
    },
    called: { env: { STAGE: 'live' }, steps: [{ name: 'push', run: './push', if: ' PUSH ' }] },
  },
};

test('a dry run prints hooks, steps, every condition of a step, and its variables with secrets masked', async (t) => {
  const { code, document } = await runCi(t, file, ['--dry-run', 'NOTES:']);
  const shared = { NOTES: '', API_TOKEN: '***' };
  assert.equal(code, 0);
  assert.deepEqual(document, {
    workflow: 'ci',
    dry_run: true,
    before_all: { command: 'touch ran' },
    steps: [
      { name: 'step_1', command: 'make $STAGE', env: { ...shared, STAGE: 'dev' } },
      { name: 'step_2', command: 'make notes', if: 'NOTES', env: { ...shared, STAGE: 'dev' } },
      { name: 'push', command: './push', if: ['touch ran', 'PUSH'], env: { ...shared, STAGE: 'live', TARGET: 'west' } },
    ],
    after_all: { command: 'touch ran' },
    error: { command: 'touch ran' },
  });
});

test('a dry run omits `if` and `env` where they are empty', async (t) => {
  const { document } = await runCi(t, ci(['make', { run: 'make', if: ' ', with: {} }]), ['--dry-run']);
  const steps = ['step_1', 'step_2'].map((name) => ({ name, command: 'make' }));
  assert.deepEqual(document, { workflow: 'ci', dry_run: true, steps });
});

test('a dry run starts no process and needs no shell', async (t) => {
  const { code } = await runCi(t, file, ['--dry-run'], { env: { PATH: '/nosuch' } });
  assert.equal(code, 0);
});

test('a dry run prints the same bytes everywhere for the same file and parameters', async (t) => {
  const args = ['workflow', 'run', '--dry-run', 'ci', 'A:1', 'B:2'];
  const here = await cli(args, { cwd: workflowDirectory(t, file), env: { NOTES: 'x', PUSH: 'x' } });
  const there = temporaryDirectory(t, { 'elsewhere.json': file });
  const env = { HOME: '/nosuch', LANG: 'de_DE', TZ: 'Asia/Tokyo', STAGE: 'process', PUSH: '' };
  const again = await cli([...args, '--file', 'elsewhere.json'], { cwd: there, env });
  assert.equal(here.code, 0);
  assert.equal(here.stdout, again.stdout);
});

test('a plan has at most 100,000 operations: hooks, conditions, calls and commands', async (t) => {
  const calls = Array.from({ length: 99 }, () => ({ workflow: 'called' }));
  const condition = { workflow: 'called', if: 'A' };
  const workflows = {
    ci: { steps: [...calls, condition, ...Array.from({ length: 98 }, () => ':')] },
    more: { steps: [{ workflow: 'ci' }] },
    called: { steps: Array.from({ length: 998 }, () => ':') },
  };
  const hooks = { before_all: ':' };
  const most = 99 * 999 + 1000 + 98 + 1;
  assert.equal(most, 100_000);
  const fits = await workflow(t, { ...hooks, workflows }, ['run', '--dry-run', 'ci']);
  assert.equal(fits.code, 0);
  for (const flags of [[], ['--dry-run']]) {
    assert.deepEqual(await workflow(t, { ...hooks, workflows }, ['run', ...flags, 'more']), {
      code: 2,
      document: undefined,
      stderr: `cli: workflow 'more': calls expand to 100001 operations; the limit is 100000\n`,
    });
  }
  const { code, document } = await workflow(t, { ...hooks, workflows }, ['validate']);
  const message = 'calls expand to 100001 operations; the limit is 100000';
  assert.deepEqual(
    { code, document },
    { code: 1, document: { valid: false, errors: [{ workflow: 'more', message }] } },
  );
});

test('`run` rejects a plan that is too large only for the workflow that expands to it', async (t) => {
  const workflows: Record<string, object> = { ci: { steps: [':'] }, w0: { steps: [':'] } };
  for (let n = 1; n <= 60; n += 1) {
    workflows[`w${n}`] = { steps: [{ workflow: `w${n - 1}` }, { workflow: `w${n - 1}` }] };
  }
  assert.equal((await runCi(t, { workflows })).code, 0);
  for (const words of [
    ['run', 'w60'],
    ['run', '--dry-run', 'w60'],
  ]) {
    assert.deepEqual(await workflow(t, { workflows }, words), {
      code: 2,
      document: undefined,
      stderr: `cli: workflow 'w60': calls expand to ${3n * 2n ** 60n - 2n} operations; the limit is 100000\n`,
    });
  }
});

test('a call without steps is shown inside its group', async (t) => {
  const empty = { workflow: 'empty' };
  const steps = [
    { parallel: ['echo 1', empty] },
    'echo 2',
    { parallel: [empty, { parallel: [{ ...empty, if: 'A' }] }, empty] },
    empty,
    { parallel: [empty] },
  ];
  const { stdout } = await cli(['run', 'ci', '--dry-run'], {
    cwd: workflowDirectory(t, { workflows: { ci: { steps }, empty: { steps: [] } } }),
  });
  assert.equal(
    stdout,
    [
      'workflow ci',
      '  > in parallel',
      '    - step_1.1  echo 1',
      '    > empty',
      '  - step_2  echo 2',
      '  > in parallel',
      '    > empty',
      '    > in parallel',
      '      > empty  (if A is set)',
      '    > empty',
      '  > empty',
      '  > in parallel',
      '    > empty',
      '',
    ].join('\n'),
  );
});
