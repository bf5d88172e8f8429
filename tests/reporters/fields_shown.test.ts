/* Reports of steps with retries, allowed failures, time limits and outputs. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { GITHUB, GITLAB, runIn } from '../support/goldens/ci_job.ts';
import { workflowDirectory } from '../support/cli.ts';
import { quickCliWithAnnouncements as cliWithAnnouncements } from '../support/in_process.ts';
import { reportIn } from '../support/goldens/report.ts';
import { needs } from '../support/needs.ts';
import { screenOfRun } from '../support/processes/screen.ts';

const RETRY = { max_attempts: 2, delay: '10ms' };

const STEPS = [
  { name: 'flaky', run: '[ -e n ] && rm n || { : >n; exit 3; }', retry: RETRY },
  { name: 'lint', run: 'exit 4', allow_failure: true, retry: RETRY },
  { name: 'docs', run: 'true', dir: 'nosuch', allow_failure: true },
  { name: 'size', run: 'echo \'{"a":null}\'', outputs: { A: '$.a', B: '$.b' }, allow_failure: true },
  { name: 'login', run: `echo '["correct horse", "battery"]'`, outputs: { TOKEN: '$[0]', WORD: '$[1]' } },
  { name: 'use', run: 'test -n "$API_KEY" -a -n "${steps.login.TOKEN}"', with: { API_KEY: 'x-${steps.login.WORD}' } },
  { name: 'late', run: 'sleep 60', timeout: '100ms' },
];
const FILE = { error: 'echo "no ${steps.login.TOKEN}" >/dev/null', workflows: { w: { steps: STEPS } } };

const text = JSON.stringify(FILE);
/** The column of a step in the file, which has one line. */
const column = (name: string): number => text.indexOf(`{"name":"${name}"`) + 1;
/** The position of a step as in a command of GitHub. */
const at = (name: string): string => `file=.cli/workflow.json,line=1,col=${column(name)}`;
const place = (name: string): string => `.cli/workflow.json:1:${column(name)}`;

const PROBLEMS = "output 'A': $.a is null; output 'B': $.b is missing: $ has no such field";

const MORE = '  for details, add --debug; for the plan, --dry-run';

/** The details of a failure at a terminal. */
function help(name: string): string[] {
  const { run = '' } = STEPS.find((step) => step.name === name) ?? {};
  return [`  at ${place(name)}: ${run}`, MORE];
}

describe('steps with retries, allowed failures, time limits and outputs', { concurrency: 3 }, () => {
  test('plain lines report each attempt and each failure, and whether it is allowed', async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const { stderr } = await cliWithAnnouncements(['workflow', 'run', 'w'], { cwd });
    const lines = stderr.split('\n').filter((line) => !line.startsWith('cli:   '));
    assert.deepEqual(lines, [
      "cli: step 'flaky' of workflow 'w'",
      "cli: step 'flaky' of workflow 'w' failed with exit code 3 (attempt 1 of 2); retrying in 10ms",
      "cli: step 'flaky' of workflow 'w' succeeded in 2 attempts, <time>",
      "cli: step 'lint' of workflow 'w'",
      "cli: step 'lint' of workflow 'w' failed with exit code 4 (attempt 1 of 2); retrying in 10ms",
      "cli: step 'lint' of workflow 'w' failed with exit code 4 (allowed) in 2 attempts, <time>",
      "cli: step 'docs' of workflow 'w'",
      "cli: step 'docs' of workflow 'w' could not be started (allowed): its dir 'nosuch' does not exist",
      "cli: step 'size' of workflow 'w'",
      '{"a":null}',
      `cli: step 'size' of workflow 'w' failed after exit code 0 (allowed): ${PROBLEMS}, <time>`,
      "cli: step 'login' of workflow 'w'",
      '["correct horse", "battery"]',
      "cli: step 'login' of workflow 'w' succeeded, <time>",
      "cli: step 'use' of workflow 'w'",
      "cli: step 'use' of workflow 'w' succeeded, <time>",
      "cli: step 'late' of workflow 'w'",
      "cli: step 'late' of workflow 'w' timed out after 100ms, <time>",
      "cli: hook 'error'",
      "cli: hook 'error' succeeded, <time>",
      "cli: workflow 'w' failed: 6 steps ran, 1 not started, <time>",
      '',
    ]);
  });

  test('progress at a terminal reports the same, with a summary', needs('python3'), async (t) => {
    const { lines } = await screenOfRun(t, FILE, 'w', { NO_COLOR: '1' }, 200);
    assert.deepEqual(lines.slice(0, -2), [
      '▸ 1/7 flaky · w',
      '↻ flaky failed with exit code 3 (attempt 1 of 2); retrying in 10ms',
      '✓ flaky in 2 attempts, <time>',
      '▸ 2/7 lint · w',
      '↻ lint failed with exit code 4 (attempt 1 of 2); retrying in 10ms',
      '– lint failed with exit code 4 (allowed) in 2 attempts, <time>',
      ...help('lint'),
      '▸ 3/7 docs · w',
      "– docs could not be started (allowed): its dir 'nosuch' does not exist, <time>",
      ...help('docs'),
      '▸ 4/7 size · w',
      '{"a":null}',
      `– size failed after exit code 0 (allowed): ${PROBLEMS}, <time>`,
      ...help('size'),
      '▸ 5/7 login · w',
      '["correct horse", "battery"]',
      '✓ login <time>',
      '▸ 6/7 use · w',
      '✓ use <time>',
      '▸ 7/7 late · w',
      '✗ late timed out after 100ms, <time>',
      ...help('late'),
      "▸ hook 'error'",
      "✓ hook 'error' succeeded <time>",
      '',
      '✗ w failed: 6 steps ran, 1 not started, <time>',
      `  failed   late: timed out after 100ms, ${place('late')}`,
      `  allowed  lint: exit code 4, ${place('lint')}`,
      `  allowed  docs: could not be started, ${place('docs')}`,
      `  allowed  size: failed after exit code 0: ${PROBLEMS}, ${place('size')}`,
    ]);
  });

  test('GitHub receives a warning for an allowed failure, and masks as soon as secrets are known', async (t) => {
    const { stderr, summary, cwd } = await runIn(t, GITHUB, FILE, ['w', '--report', 'report.json']);
    const commands = stderr.split('\n').filter((line) => /^::(?!group|endgroup)/.test(line));
    assert.deepEqual(commands, [
      `::warning ${at('lint')}::step 'lint' of workflow 'w' failed with exit code 4 (allowed)`,
      `::warning ${at('docs')}::step 'docs' of workflow 'w' could not be started (allowed): its dir 'nosuch' does not exist`,
      `::warning ${at('size')}::step 'size' of workflow 'w' failed after exit code 0 (allowed): ${PROBLEMS}`,
      '::add-mask::correct horse',
      '::add-mask::battery',
      `::error ${at('late')}::step 'late' of workflow 'w' timed out after 100ms`,
    ]);
    assert.ok(stderr.indexOf('::add-mask::correct horse') < stderr.indexOf('::group::6/7 use'));
    assert.deepEqual(summary.slice(2, 12), [
      '| Step | Workflow | Result | Time |',
      '| --- | --- | --- | ---: |',
      '| flaky | w | ok, 2 attempts | <time> |',
      '| lint | w | exit code 4 &#40;allowed&#41;, 2 attempts | <time> |',
      '| docs | w | could not be started &#40;allowed&#41;&#58; its dir &#39;nosuch&#39; does not exist | <time> |',
      '| size | w | failed after exit code 0 &#40;allowed&#41;&#58; output &#39;A&#39;&#58; &#36;.a is null&#59; output &#39;B&#39;&#58; &#36;.b is missing&#58; &#36; has no such field | <time> |',
      '| login | w | ok | <time> |',
      '| use | w | ok | <time> |',
      '| late | w | **timed out after 100ms** | <time> |',
      '| hook &#39;error&#39; |  | ok | <time> |',
    ]);
    const ops = reportIn(cwd).ops.map(({ name, status, attempts, allowed, exit_code, reason }) =>
      [name, status, attempts, allowed, exit_code, reason].join(' '),
    );
    assert.deepEqual(ops, [
      'flaky succeeded 2 false 0 ',
      'lint failed 2 true 4 ',
      "docs not started 1 true 126 its dir 'nosuch' does not exist",
      `size failed 1 true 0 ${PROBLEMS}`,
      'login succeeded 1 false 0 ',
      'use succeeded 1 false 0 ',
      'late failed 1 false 124 timed out after 100ms',
      'error succeeded 1 false 0 ',
    ]);
  });

  test('GitLab shows attempts and failures in the section of the step', async (t) => {
    const { lines } = await runIn(t, GITLAB, FILE, ['w']);
    const flaky = lines.slice(0, 5);
    assert.deepEqual(flaky, [
      '\x1b[0Ksection_start:<now>:cli_<pid>_1\r\x1b[0K1/7 flaky - w',
      'cli: ~ flaky failed with exit code 3 (attempt 1 of 2); retrying in 10ms',
      '',
      '\x1b[0Ksection_end:<now>:cli_<pid>_1\r\x1b[0K',
      'cli: ok flaky in 2 attempts, <time>',
    ]);
  });

  test('JUnit reports no failure for an allowed one', async (t) => {
    const { cwd } = await runIn(t, GITLAB, FILE, ['w', '--report', 'report.xml']);
    const report = readFileSync(join(cwd, 'report.xml'), 'utf8');
    const messages = [...report.matchAll(/<(skipped|failure|error) message="([^"]*)"/g)].map(
      ([, kind, message = '']) => `${kind}: ${message.replaceAll('&#39;', "'")}`,
    );
    assert.deepEqual(messages, [
      'skipped: failed (allowed): exit code 4',
      "skipped: failed (allowed): its dir 'nosuch' does not exist",
      `skipped: failed (allowed): ${PROBLEMS}`,
      'failure: timed out after 100ms',
    ]);
    assert.match(report, /<testsuites name="w" tests="8" failures="1" errors="0" time="[\d.]+">/);
  });

  test('JUnit reports an error for a step or condition that cannot be started', async (t) => {
    const step = { name: 'docs', run: 'true', dir: 'nosuch' };
    const condition = { name: 'lint', if: 'true', run: 'true', dir: 'nosuch' };
    for (const [steps, name, command] of [
      [[step], 'docs', 'true'],
      [[condition], 'condition of step 1', 'true'],
    ] as const) {
      const { cwd } = await runIn(t, GITLAB, { workflows: { w: { steps } } }, ['w', '--report', 'report.xml']);
      const report = readFileSync(join(cwd, 'report.xml'), 'utf8');
      assert.match(report, /<testsuites name="w" tests="\d" failures="0" errors="1" time="[\d.]+">/);
      const [, shown, message, type, text] =
        /<testcase name="([^"]*)"[^>]*>\s*<error message="([^"]*)" type="([^"]*)">([^<]*)<\/error>/.exec(report) ?? [];
      assert.deepEqual(
        [shown, message, type, text?.replace(/^\S+&#10;/, '')],
        [name, 'its dir &#39;nosuch&#39; does not exist', 'not started', command],
      );
    }
  });

  test('the HTML report counts allowed failures separately', async (t) => {
    const { cwd } = await runIn(t, GITLAB, FILE, ['w', '--report', 'report.html']);
    const page = readFileSync(join(cwd, 'report.html'), 'utf8').replaceAll(/<[^>]*>/g, ' ');
    assert.match(page, /^ *Steps {2}3 succeeded, 3 allowed to fail, 1 failed *$/m);
  });
});
