import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory, withoutAnnouncements, withoutWarnings } from '../support/cli.ts';
import { quickCliWithAnnouncements as cliWithAnnouncements } from '../support/in_process.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { ci } from '../support/workflow.ts';

const MORE = 'cli:   for details, add --debug; for the plan, --dry-run';

/** The lines of standard error of a run of `ci`, without the announcements. */
async function stderrLines(t: TestContext, file: unknown, words: readonly string[] = [], env = {}): Promise<string[]> {
  const cwd = temporaryDirectory(t, { 'f.json': file });
  const args = ['workflow', 'run', 'ci', '--file', 'f.json', ...words];
  const { stderr } = await cliWithAnnouncements(args, { cwd, env: { ...ONLY_PATH, ...env } });
  return withoutWarnings(withoutAnnouncements(stderr)).trimEnd().split('\n');
}

/** The details printed for a failing step with this command. */
async function detailsOf(t: TestContext, command: string, env = {}): Promise<string[]> {
  return (await stderrLines(t, ci([command]), [], env)).filter((line) => line.startsWith('cli:   '));
}

for (const [code, words] of [
  [1, ''],
  [126, ' (found, but could not be executed)'],
  [127, ' (command not found)'],
  [128, ''],
  [130, ' (terminated by SIGINT)'],
  [137, ' (terminated by SIGKILL)'],
  [139, ' (terminated by SIGSEGV)'],
  [143, ' (terminated by SIGTERM)'],
  [200, ''],
  [255, ''],
] as const) {
  test(`exit code ${code} is reported${words}, with the position of the step and a hint`, async (t) => {
    assert.deepEqual(await stderrLines(t, ci([`exit ${code}`])), [
      `cli: step 'step_1' of workflow 'ci' failed with exit code ${code}${words}`,
      `cli:   at f.json:1:30: exit ${code}`,
      MORE,
    ]);
  });
}

test('the position is that of the step or hook in the file, by line and column', async (t) => {
  const file = [
    '\uFEFF// a comment',
    '{ "workflows": { "ci": { "steps": [',
    '  "true", /* \u{1F40E} */ { "workflow": "called" }',
    '] }, "called": {',
    '  "steps": [',
    '    {',
    '      "name": "n",',
    '      "run": "exit 3"',
    '    }',
    '  ]',
    '} },',
    '  "error":',
    '      "exit 4" }',
  ].join('\r\n');
  assert.deepEqual(await stderrLines(t, file), [
    "cli: step 'n' of workflow 'called' failed with exit code 3",
    'cli:   at f.json:6:5: exit 3',
    MORE,
    "cli: hook 'error' failed with exit code 4",
    'cli:   at f.json:13:7: exit 4',
  ]);
});

test('a command or condition that cannot be started is reported with its position', async (t) => {
  const long = 'x'.repeat(140_000);
  const lines = await stderrLines(t, { workflows: { ci: { steps: [{ if: `: ${long}`, run: 'true' }] } } });
  assert.deepEqual(lines, [
    "cli: the condition of step 1 of workflow 'ci' could not be started: the command is 140002 bytes long; " +
      'the system takes less than 131072',
    `cli:   at f.json:1:30: : ${long.slice(0, 98)} …`,
    MORE,
  ]);
});

for (const [command, names, env] of [
  ['exit 3 $ABSENT ${ALSO} "$QUOTED" "${BRACED}"', 'ABSENT, ALSO, QUOTED, BRACED', {}],
  ['exit 3 $ABSENT $PRESENT $EMPTY', 'ABSENT', { PRESENT: 'x', EMPTY: '' }],
  ['exit 3 ${ABSENT:-x} ${ABSENT2%y} ${#ABSENT3}', undefined, {}],
  [`exit 3 '$ABSENT' \\$ABSENT "\\$ABSENT" "it's $FOUND"`, 'FOUND', {}],
  ['read -r ANSWER <<<x; for ITEM in a; do OWN=$ITEM; done; exit 3 $ANSWER $ITEM $OWN', undefined, {}],
  ['exit 3 $RANDOM $PWD $UID $1 $? $$ $# $@', undefined, {}],
  ['exit 3 $A1 $A2 $A3 $A4 $A5 $A6 $A1', 'A1, A2, A3, A4, A5, …', {}],
] as const) {
  test(`the unset variables of \`${command}\` are: ${names ?? 'none'}`, async (t) => {
    assert.deepEqual(await detailsOf(t, command, env), [
      `cli:   at f.json:1:30: ${command}`,
      ...(names === undefined ? [] : [`cli:   not set: ${names}`]),
      MORE,
    ]);
  });
}

test('a variable set by the file, a call, a step or a parameter does not count as unset', async (t) => {
  const called = { env: { B: '' }, steps: [{ run: 'exit 3 $A $B $C $D $E $F', with: { D: '' } }] };
  const steps = [{ workflow: 'called', with: { C: '' } }];
  const lines = await stderrLines(t, { env: { A: '' }, workflows: { ci: { steps }, called } }, ['E:']);
  assert.equal(lines[2], 'cli:   not set: F');
});

test('with --debug the hint is omitted', async (t) => {
  const lines = await stderrLines(t, ci(['exit 3']), ['--debug']);
  assert.deepEqual(
    lines.filter((line) => line.startsWith('cli:')),
    ["cli: step 'step_1' of workflow 'ci' failed with exit code 3", 'cli:   at f.json:1:30: exit 3'],
  );
});
