import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { cli, temporaryDirectory, workflowDirectory, type CommandResult } from '../support/cli.ts';
import { quickCli } from '../support/in_process.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { LINUX } from '../support/processes/shell.ts';
import { reportIn } from '../support/goldens/report.ts';

type Env = Readonly<Record<string, string>>;

/** Further arguments, the environment, other fields of the file, inputs of the workflow, and the text of `.env`. */
type Given = Readonly<{ more?: readonly string[]; env?: Env; file?: object; inputs?: object; dotenv?: string }>;

/** Runs steps with a report, and returns the last lines of each op. */
async function recorded(
  t: TestContext,
  steps: readonly unknown[],
  { more = [], env = {}, file = {}, inputs = {}, dotenv = '' }: Given = {},
  tool: typeof cli = quickCli,
): Promise<CommandResult & { outputs: (readonly string[] | null)[] }> {
  const cwd = workflowDirectory(t, { ...file, workflows: { w: { inputs, steps } } });
  writeFileSync(join(cwd, '.env'), dotenv);
  const args = ['workflow', 'run', 'w', '--report', 'report.json', ...more];
  const finished = await tool(args, { cwd, env: { ...ONLY_PATH, ...env } });
  return { ...finished, outputs: reportIn(cwd).ops.map(({ output }) => output) };
}

test('a report contains the last lines of both streams of each step and hook, in order', async (t) => {
  const { outputs, stderr } = await recorded(
    t,
    [
      'echo one; echo two >&2; echo three',
      { if: 'echo asked', run: 'true' },
      'echo four >/dev/stderr; exit 3',
      'echo no',
    ],
    { file: { error: 'echo hook' } },
  );
  assert.deepEqual(outputs, [['one', 'two', 'three'], ['asked'], [], ['four'], null, ['hook']]);
  assert.equal(stderr.replace(/^cli:.*\n/gm, ''), 'one\ntwo\nthree\nasked\nfour\nhook\n');
});

/** The output of seq(1). */
function numbers(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
}

test('50 lines are kept by default, or as many as --report-lines sets', async (t) => {
  const usual = await recorded(t, ['seq 1000']);
  assert.deepEqual(usual.outputs, [numbers(951, 1000)]);
  const few = await recorded(t, ['seq 1000'], { more: ['--report-lines', '2'] });
  assert.deepEqual(few.outputs, [numbers(999, 1000)]);
  const none = await recorded(t, ['seq 1000'], { more: ['--report-lines', '0'] });
  assert.deepEqual(none.outputs, [null]);
});

/** A member of a group that prints to both streams. */
function member(name: string, fields: object = {}): object {
  return { name, run: `echo ${name} one; echo ${name} two >&2`, ...fields };
}

test('the lines of each command in a group are kept separately', async (t) => {
  const inner = { parallel: [member('c'), member('d')], output: 'grouped' };
  const repeated = member('b', { run: 'echo x >> log; wc -l < log; exit 1', retry: { max_attempts: 2, delay: '1ms' } });
  const steps = [{ parallel: [member('a', { if: 'echo asked' }), { ...repeated, allow_failure: true }, inner] }];
  const { outputs } = await recorded(t, steps);
  assert.deepEqual(outputs, [['asked'], ['a one', 'a two'], ['2'], ['c one', 'c two'], ['d one', 'd two']]);
});

test('the lines of a member with outputs are kept, without those of other commands', async (t) => {
  const first = { name: 'first', run: `echo noise >&2; echo '{"A": 1}'`, outputs: { A: '$.A' } };
  const steps = [{ parallel: [{ workflow: 'two' }, { name: 'last', run: 'echo last' }] }];
  const two = { private: true, steps: [first, { name: 'second', run: 'echo second' }] };
  const cwd = workflowDirectory(t, { workflows: { w: { steps }, two } });
  await quickCli(['workflow', 'run', 'w', '--report', 'report.json'], { cwd, env: ONLY_PATH });
  const outputs = reportIn(cwd).ops.map(({ output }) => output?.toSorted());
  assert.deepEqual(outputs, [['noise', '{"A": 1}'].toSorted(), ['second'], ['last']]);
});

test('the lines of the last attempt of a step are kept', async (t) => {
  const step = { run: 'echo x >> log; wc -l < log; exit 1', retry: { max_attempts: 3, delay: '1ms' } };
  const { outputs } = await recorded(t, [step]);
  assert.deepEqual(outputs, [['3']]);
});

test('secrets of every source are masked in a report, but not on standard error', async (t) => {
  const steps = [
    { name: 'login', run: `echo '{"session": "from-an-output"}'`, outputs: { SESSION_TOKEN: '$.session' } },
    'echo "$FROM_ENV_TOKEN $FROM_FILE_TOKEN $FROM_PARAM_TOKEN ${steps.login.SESSION_TOKEN}"',
    'echo "$FROM_DOTENV_TOKEN $PIN"',
    { run: 'echo "$CELL_TOKEN"', matrix: { CELL_TOKEN: ['of-a-matrix'] } },
    'echo of-the-processof-the-fileof-a-parameterfrom-an-outputof-a-dotenv-fileof-an-inputof-a-matrix',
  ];
  const { outputs, stderr } = await recorded(t, steps, {
    more: ['FROM_PARAM_TOKEN:of-a-parameter'],
    env: { FROM_ENV_TOKEN: 'of-the-process' },
    file: { env: { FROM_FILE_TOKEN: 'of-the-file' }, dotenv: '.env' },
    inputs: { PIN: { secret: true, default: 'of-an-input' } },
    dotenv: 'FROM_DOTENV_TOKEN=of-a-dotenv-file\n',
  });
  assert.deepEqual(outputs, [['{"session": "***"}'], ['*** *** *** ***'], ['*** ***'], ['***'], ['***']]);
  assert.match(stderr, /of-the-process of-the-file of-a-parameter from-an-output\nof-a-dotenv-file of-an-input\n/);
});

test('of secrets that begin alike, overlap or follow each other, nothing remains in a report', async (t) => {
  const env = { SHORT_TOKEN: 'abcde', LONG_TOKEN: 'abcdefgh', NEXT_TOKEN: 'fghij' };
  const { outputs } = await recorded(
    t,
    ['echo "<$LONG_TOKEN> <$SHORT_TOKEN> <${LONG_TOKEN}ij> <$NEXT_TOKEN$SHORT_TOKEN>"'],
    { env },
  );
  assert.deepEqual(outputs, [['<***> <***> <***> <***>']]);
});

test('a secret of 120,000 characters is masked, in one line or many, as part of a long text, and hooks run', async (t) => {
  for (const value of ['(?=[*\\'.repeat(20_000), 'a'.repeat(120_000), `${'k'.repeat(9000)}\n`.repeat(10).trim()]) {
    const { outputs, stderr, code } = await recorded(
      t,
      ['printf "<%s>" "$API_TOKEN"; printf "<%s>" "$API_TOKEN" >&2'],
      { env: { API_TOKEN: value }, file: { finally: 'echo finally' } },
    );
    assert.deepEqual(outputs, [['<***><***>'], ['finally']]);
    assert.equal(code, 0);
    assert.doesNotMatch(stderr, /^cli: .*error/m);
  }
});

test('a background process does not delay the end of its step, and its later output is not in the report', async (t) => {
  const started = process.hrtime.bigint();
  const { outputs, stderr } = await recorded(t, [
    '(until [ -e go ]; do sleep 0.1; done; echo late; : >spoke) & echo early',
    ': >go; until [ -e spoke ]; do sleep 0.1; done',
    'sleep 30 & echo end',
  ]);
  assert.ok(process.hrtime.bigint() - started < 15_000_000_000n);
  assert.deepEqual(outputs, [['early'], [], ['end']]);
  assert.match(stderr, /late\n/);
});

test('megabytes on both streams arrive completely on standard error', async (t) => {
  const { outputs, stderr } = await recorded(t, ['seq 300000; seq 300000 >&2'], {}, cli);
  const all = Array.from({ length: 300_000 }, (_, index) => `${index + 1}\n`).join('');
  assert.ok(stderr.includes(all + all));
  assert.equal(outputs[0]?.at(-1), '300000');
});

test('the pipes are removed at the end of a run, even after a signal', async (t) => {
  const cwd = temporaryDirectory(t);
  const ran = await recorded(t, ['true', 'kill -TERM $PPID; sleep 60'], { env: { TMPDIR: cwd } });
  assert.deepEqual([ran.signal, ran.outputs], ['SIGTERM', [[], []]]);
  assert.deepEqual(readdirSync(cwd), []);
});

test('if the pipes cannot be created, a warning is printed, and the run continues without recorded lines', async (t) => {
  const { code, outputs, stderr } = await recorded(t, ['echo one'], { env: { TMPDIR: '/nowhere' } });
  assert.deepEqual([code, outputs], [0, [null]]);
  assert.match(
    stderr,
    /^cli: warning: the output of steps is not recorded: no directory can be created in \/nowhere: it does not exist; set TMPDIR to another one\n/m,
  );
});

test('--report-lines requires a report and a number', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { w: { steps: ['touch started'] } } });
  const refused = async (...words: string[]): Promise<string> => {
    const { code, stderr } = await quickCli(['workflow', 'run', 'w', ...words], { cwd, env: ONLY_PATH });
    assert.equal(code, 2);
    return stderr;
  };
  assert.equal(await refused('--report-lines', '5'), "cli: '--report-lines' needs '--report' or '--events'\n");
  const problem = "cli: '--report-lines' must be a number from 0 to 10000\n";
  for (const bad of ['x', '1.5', '10001', '1e3'])
    assert.equal(await refused('--report', 'r.json', '--report-lines', bad), problem);
  assert.deepEqual(readdirSync(cwd).toSorted(), ['.cli']);
});

test('a step writes to a pipe only with a report', LINUX, async (t) => {
  const step = 'readlink /proc/$$/fd/1 /proc/$$/fd/2 | sed "s/.*cli-output-.*/a pipe of ours/"';
  const cwd = workflowDirectory(t, { workflows: { w: { steps: [step] } } });
  const direct = await cli(['workflow', 'run', 'w'], { cwd });
  assert.doesNotMatch(direct.stderr, /ours/);
  const { outputs } = await recorded(t, [step]);
  assert.deepEqual(outputs, [['a pipe of ours', 'a pipe of ours']]);
});

test("GitHub's job summary shows the last lines of the failed step", async (t) => {
  const cwd = workflowDirectory(t, {
    workflows: { w: { steps: ['echo fine', { name: 'bad', run: 'echo "<b>why</b> $A_TOKEN"; exit 1' }] } },
  });
  const summary = join(cwd, 'summary.md');
  const env = { ...ONLY_PATH, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary, A_TOKEN: 'hide me' };
  await quickCli(['workflow', 'run', 'w'], { cwd, env });
  const text = readFileSync(summary, 'utf8');
  assert.ok(
    text.includes(
      '\n<details open>\n<summary>Last lines of bad</summary>\n\n<pre>\n&#60;b&#62;why&#60;/b&#62; &#42;&#42;&#42;\n</pre>\n</details>\n',
    ),
    text,
  );
});
