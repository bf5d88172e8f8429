/* Conditions whose command cannot be run. They skip their step like any other, with a message. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { finish, workflowDirectory } from '../support/cli.ts';
import { quickCli, quickCliWithAnnouncements as cliWithAnnouncements } from '../support/in_process.ts';
import { GITHUB, runIn } from '../support/goldens/ci_job.ts';
import { reportIn } from '../support/goldens/report.ts';
import { ci, entry, result } from '../support/workflow.ts';

const FILE = ci([{ run: 'exit 1', if: 'nosuch 2>/dev/null' }, { run: 'exit 1', if: './' }, 'true'], { error: 'true' });
const SKIPPED = [
  "skipped step 'step_1' of workflow 'ci': its condition could not be run (exit code 127, command not found)",
  "skipped step 'step_2' of workflow 'ci': its condition could not be run (exit code 126, found, but could not be executed)",
];

for (const flags of [[], ['--quiet']]) {
  test(`a condition that cannot be run skips its step with a message${flags.map((flag) => `, with ${flag} too`).join('')}`, async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const { code, stdout, stderr } = await cliWithAnnouncements(['workflow', 'run', 'ci', ...flags], { cwd });
    assert.deepEqual([code, JSON.parse(stdout)], [0, result(true, [entry('step_3', 'true')])]);
    const lines = stderr.split('\n').filter((line) => line.startsWith('cli: skipped'));
    assert.deepEqual(
      lines,
      SKIPPED.map((line) => `cli: ${line}`),
    );
  });
}

test('on GitHub a condition that cannot be run causes a warning', async (t) => {
  const { stderr } = await runIn(t, GITHUB, FILE, ['ci']);
  const warnings = stderr.split('\n').filter((line) => line.startsWith('::warning'));
  assert.deepEqual(
    warnings.map((line) => line.replace(/^::warning file=.cli\/workflow.json,line=1,col=\d+::/, '')),
    SKIPPED,
  );
});

test('with --strict a condition that cannot be run fails the run: the error hook runs, and the step has no entry', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const words = ['workflow', 'run', 'ci', '--strict', '--report', 'report.json'];
  const { code, stdout, stderr } = await cliWithAnnouncements(words, { cwd });
  const hook = { error: { command: 'true', exit_code: 0 } };
  assert.deepEqual([code, JSON.parse(stdout)], [1, result(false, [], hook)]);
  assert.deepEqual(stderr.split('\n'), [
    "cli: the condition of step 1 of workflow 'ci' could not be run (exit code 127, command not found)",
    'cli:   at .cli/workflow.json:1:45: nosuch 2>/dev/null',
    'cli:   for details, add --debug; for the plan, --dry-run',
    "cli: hook 'error'",
    "cli: hook 'error' succeeded, <time>",
    "cli: workflow 'ci' failed: 0 steps ran, 3 not reached, <time>",
    '',
  ]);
  const [condition] = reportIn(cwd).ops;
  assert.deepEqual(
    [condition?.status, condition?.exit_code, condition?.reason],
    ['failed', 127, 'could not be run (exit code 127, command not found)'],
  );
});

test('a condition with another exit code skips its step without a warning, even with --strict', async (t) => {
  const cwd = workflowDirectory(t, ci([{ run: 'exit 1', if: 'exit 125' }]));
  const { code, stderr } = await cliWithAnnouncements(['workflow', 'run', 'ci', '--strict', '--quiet'], { cwd });
  assert.deepEqual([code, stderr], [0, '']);
});

const NEGATED = ci([
  { run: 'exit 1', if: '! nosuch 2>/dev/null' },
  { run: 'exit 1', if: ' ! nosuch a | cat' },
  ...['! ls /nosuch 2>/dev/null', '! type nosuch >/dev/null', '! [ x = y ]', '! ./nosuch 2>/dev/null', '! known'].map(
    (condition) => ({ run: 'echo ran', if: condition }),
  ),
]);

test('a negated command that does not exist could not be run, in a run and in a script', async (t) => {
  const cwd = workflowDirectory(t, NEGATED);
  const env = { 'BASH_FUNC_known%%': '() { return 1; }' };
  const { code, stderr } = await cliWithAnnouncements(['run', 'ci'], { cwd, env });
  const skipped = ['step_1', 'step_2'].map((name) => `cli: ${SKIPPED[0]?.replace('step_1', name)}`);
  assert.deepEqual(
    [code, stderr.split('\n').filter((line) => /^ran|skipped step/.test(line))],
    [0, [...skipped, ...RAN]],
  );
  writeFileSync(join(cwd, 'x.sh'), (await quickCli(['export', 'ci'], { cwd })).stdout);
  const script = await finish('bash', ['x.sh'], { cwd, env });
  assert.deepEqual(
    [script.code, script.stderr.split('\n').filter((line) => line === 'ran'), script.stderr.match(/could not be run/g)],
    [0, RAN, ['could not be run', 'could not be run']],
  );
});

const RAN = Array.from({ length: 5 }, () => 'ran');
