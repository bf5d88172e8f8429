import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { reportIn } from '../support/goldens/report.ts';

test('a secret of a dotenv file, and a value derived from one, is masked wherever values are shown', async (t) => {
  const file = {
    dotenv: 'a.env',
    env: { ARGS: '--token ${vars.API_TOKEN} --all', MORE: 'of ${vars.NOTHING:-none}' },
    workflows: { w: { env: { LINE: 'curl ${vars.ARGS}' }, steps: ['echo "$LINE"', 'echo "$API_TOKEN $MORE"'] } },
  };
  const cwd = workflowDirectory(t, file);
  writeFileSync(join(cwd, 'a.env'), 'API_TOKEN="s3cret value"\n');
  const run = await cli(['run', 'w', '--report', 'report.json', '--debug'], { cwd, env: ONLY_PATH });
  assert.match(run.stderr, /^curl --token s3cret value --all$/m);
  const outputs = reportIn(cwd).ops.map(({ output }) => output);
  assert.deepEqual(outputs, [['***'], ['*** of none']]);
  const explained = await cli(['explain', 'w', '--step', '1'], { cwd, env: ONLY_PATH });
  assert.equal(
    explained.stdout,
    [
      'step_1  (step 1 of w)',
      '  $ echo "$LINE"',
      '  API_TOKEN=***  (a.env)',
      '  ARGS=***  (global env)',
      '  LINE=***  (env of w)',
      '  MORE=of none  (global env)',
      '',
    ].join('\n'),
  );
});

test('the path of a dotenv file is relative to the directory in which commands run', async (t) => {
  const cwd = workflowDirectory(t, { dotenv: 'a.env', workflows: { w: { steps: ['echo "$A"'] } } });
  mkdirSync(join(cwd, '.git'));
  mkdirSync(join(cwd, 'sub'));
  writeFileSync(join(cwd, 'a.env'), 'A=found\n');
  const { stderr, code } = await cli(['run', 'w'], { cwd: join(cwd, 'sub'), env: ONLY_PATH });
  assert.deepEqual([code, stderr], [0, 'cli: using ../.cli/workflow.json; commands run in ..\nfound\n']);
});

test('only a run reads dotenv files: an invalid one does not affect validate and list', async (t) => {
  const cwd = workflowDirectory(t, { dotenv: 'a.env', workflows: { w: { steps: ['echo "$A"'] } } });
  writeFileSync(join(cwd, 'a.env'), 'nonsense\n');
  for (const command of ['validate', 'list']) {
    const { code, stderr } = await cli([command], { cwd, env: ONLY_PATH });
    assert.deepEqual([code, stderr], [0, '']);
  }
  for (const args of [
    ['run', 'w'],
    ['run', 'w', '--dry-run'],
  ]) {
    const { code, stdout, stderr } = await cli(args, { cwd, env: ONLY_PATH });
    assert.deepEqual([code, stdout, stderr], [2, '', 'cli: a.env:1: not of the form KEY=value\n']);
  }
});

test('a reference to a variable needs no value if a parameter overrides the variable that contains it', async (t) => {
  const cwd = workflowDirectory(t, { env: { A: '${vars.NOWHERE}' }, workflows: { w: { steps: ['echo "$A"'] } } });
  const { code, stderr } = await cli(['run', 'w', 'A:given'], { cwd, env: ONLY_PATH });
  assert.deepEqual([code, stderr], [0, 'given\n']);
});

test('the env of the file refers to the defaults of the inputs of the requested workflow', async (t) => {
  const inputs = { STAGE: { default: 'dev' } };
  const cwd = workflowDirectory(t, {
    env: { URL: 'https://${vars.STAGE}.example' },
    workflows: { w: { inputs, steps: ['echo "$URL"'] }, other: { steps: [{ workflow: 'w' }] } },
  });
  const run = async (...words: readonly string[]): Promise<string> =>
    (await cli(['run', '--quiet', ...words], { cwd, env: ONLY_PATH })).stderr;
  assert.equal(await run('w'), 'https://dev.example\n');
  assert.equal(await run('w', 'STAGE:beta'), 'https://beta.example\n');
  const unset = "'env.URL': ${vars.STAGE}: nothing outside of this scope sets STAGE";
  const hint = 'give it as STAGE:VALUE, or write ${vars.STAGE:-text}';
  assert.equal((await run('other')).split('\n')[0], `.cli/workflow.json:1:15: error: ${unset}; ${hint}`);
});

test('a resume repeats a step if a variable that its value refers to has changed', async (t) => {
  const cwd = workflowDirectory(t, {
    env: { TAG: 'v${vars.VERSION}' },
    workflows: { w: { steps: [{ name: 'build', run: 'echo "$TAG"' }, 'test -e done'] } },
  });
  const env = { ...ONLY_PATH, CLI_NO_JOURNAL: '', CLI_RUNS_DIR: join(cwd, 'runs') };
  await cli(['run', 'w', 'VERSION:1'], { cwd, env });
  writeFileSync(join(cwd, 'done'), '');
  const { code, stderr } = await cli(['resume', '--last', 'VERSION:2', '--changed', 'rerun'], { cwd, env });
  assert.match(stderr, /^v2$/m);
  assert.equal(code, 0);
});

const TOO_LONG = 'with its value, the variable would have more than 131071 bytes (NAME=value), the limit of the system';

test('a variable may become as long as the system permits, and one byte more is an error before anything runs', async (t) => {
  const run = { run: 'echo "${#LONG}"', with: { LONG: '${vars.HALF}${vars.REST}' } };
  const cwd = workflowDirectory(t, {
    before_all: 'echo begun',
    env: { HALF: 'x'.repeat(65_000), REST: 'y'.repeat(66_066) },
    workflows: { w: { steps: [run] } },
  });
  const fits = await cli(['run', 'w', '--quiet'], { cwd, env: ONLY_PATH });
  assert.deepEqual([fits.code, fits.stderr], [0, 'begun\n131066\n']);
  const over = await cli(['run', 'w', '--quiet', `REST:${'y'.repeat(66_067)}`], { cwd, env: ONLY_PATH });
  assert.deepEqual([over.code, over.stdout], [2, '']);
  assert.ok(over.stderr.includes(`workflow 'w': step 1: 'with.LONG': \${vars.REST}: ${TOO_LONG}\n`), over.stderr);
  assert.doesNotMatch(over.stderr, /begun/);
});

test('nested calls that double a variable are an error at the first that exceeds the limit', async (t) => {
  const workflows = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => {
      const step = { workflow: `w${index + 1}`, with: { A: '${vars.A}${vars.A}' } };
      return [`w${index}`, { steps: [step] }];
    }),
  );
  const cwd = workflowDirectory(t, { env: { A: 'x' }, workflows: { ...workflows, w60: { steps: ['true'] } } });
  const { code, stderr } = await cli(['run', 'w0', '--quiet'], { cwd, env: ONLY_PATH });
  assert.equal(code, 2);
  // 2 to the power of 17 is more than the limit.
  const errors = stderr.match(/error: .*/g);
  assert.equal(errors?.[0], `error: workflow 'w16': step 1: 'with.A': \${vars.A}: ${TOO_LONG}`);
});
