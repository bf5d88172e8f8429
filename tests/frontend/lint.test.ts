import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shellVariables } from '../../src/frontend/lint/shell_variables.ts';
import { temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { ONLY_PATH } from '../support/environment.ts';
import {
  quickCli as cli,
  quickCliWithAnnouncements as cliWithAnnouncements,
  toolInProcess,
} from '../support/in_process.ts';
import { ci } from '../support/workflow.ts';
import { assertCpuTime } from '../support/cpu_time.ts';

const UNSET =
  ".cli/workflow.json:1:37: %: workflow 'ci': step 1: $TARGET is used but never set; if it comes from outside, mention it in a description or write ${TARGET:?}";
const SHOWN = `
    1 | {"workflows":{"ci":{"steps":["echo [$TARGET]"]}}}
      |                                     ^^^^^^^
`;

describe('variables that a command expects to be set', () => {
  for (const [command, read, expected = []] of [
    ['echo $A ${B} "$C" "${D}x" $A', ['A', 'B', 'C', 'D']],
    ['echo ${A:-x} ${B-} ${C:?} ${D:=1} ${E:+x} ${F%x} ${#G} ${!H} ${I[0]}', [], ['A', 'B', 'C', 'D', 'E']],
    [`echo '$A' \\$B "\\$C" $'\\'$D' "'$E'"`, ['E']],
    [`x=$(awk '{print $NF}' "$(ls "$A" | sed 's/$B//')") "$(jq '.$C' <<<"$D")"`, ['A', 'D']],
    ['echo a # $A\necho "#$B" c#$C $#', ['B', 'C']],
    ['[ -n "$A" ] && [[ $B =~ x ]] && test -z $C && case $D in x) ;; esac', ['A', 'B', 'C', 'D'], ['A', 'B', 'C', 'D']],
    ['read -r A; for B in 1; do C=$B; done; local D=1; echo $A $B $C $D', []],
    ['. ./env; echo $A', []],
    ['x && source env && echo $A', []],
    ['eval "$(ssh-agent)"; kill $A', []],
    ['export "$k=v"; echo $A', []],
    ['find . -name $A', ['A']],
    ["echo $A; cat <<EOF\n$B it's\nEOF\necho $C", ['A']],
    ['cat <<<"$A" $B', ['A', 'B']],
    ['echo $PWD $RANDOM ${BASH_VERSION} $1 $@ $? $$ $_', []],
    ['coproc WATCH { ./watch; }; kill "$WATCH_PID"; coproc ./b; kill $COPROC_PID $OTHER_PID', ['OTHER_PID']],
    ['coproc . ./env; echo $A', []],
    ['no variables', []],
    ['echo "not closed $A', ['A']],
  ] as const) {
    test(`the variables that a command expects to be set: ${command}`, () => {
      const found = shellVariables(command);
      assert.deepEqual([[...found.read], [...found.expected]], [read, expected]);
    });
  }
});

test('a variable set by a parameter or the environment of a run causes no warning', async (t) => {
  const cwd = workflowDirectory(t, ci(['echo [$TARGET]']));
  const stderrOf = async (args: readonly string[], env = {}): Promise<string> =>
    (await cli(['workflow', ...args], { cwd, env: { ...ONLY_PATH, ...env } })).stderr;
  assert.equal(await stderrOf(['run', 'ci']), `${UNSET.replace('%', 'warning')}${SHOWN}[]\n`);
  assert.equal(await stderrOf(['run', 'ci', '--quiet']), '[]\n');
  assert.equal(await stderrOf(['run', 'ci', 'TARGET:']), '[]\n');
  assert.equal(await stderrOf(['run', 'ci'], { TARGET: 'x' }), '[x]\n');
  // The result of `validate` does not depend on the environment.
  assert.equal(await stderrOf(['validate'], { TARGET: 'x' }), `${UNSET.replace('%', 'warning')}${SHOWN}`);
});

for (const [what, file] of [
  ['a default in an env', ci(['echo $TARGET'], { env: { TARGET: '' } })],
  ['a description', { workflows: { ci: { description: 'Build for TARGET', steps: ['echo $TARGET'] } } }],
  ['${TARGET:?}', ci([': ${TARGET:?name one}', 'echo $TARGET'])],
  ['a condition', ci(['echo $TARGET', { run: 'echo', if: 'TARGET' }])],
  ['a test', ci(['[ -n "$TARGET" ] || exit 1', 'echo $TARGET'])],
  ['a word of another command', ci(['for key in TARGET; do env | grep "$key="; done', 'echo $TARGET'])],
] as const) {
  test(`the warning about an undefined variable is suppressed by ${what}`, async (t) => {
    const input = JSON.stringify(file);
    const { code, stderr } = await toolInProcess(t)(['workflow', 'validate', '--strict', '--file', '-'], { input });
    assert.deepEqual([code, stderr], [0, '']);
  });
}

test('with --strict warnings are errors: validate lists them in its document, and run starts nothing', async (t) => {
  const cwd = workflowDirectory(t, ci(['echo [$TARGET]']));
  const surroundings = { cwd, env: ONLY_PATH };
  const message = UNSET.replace(/.*?step/, 'step');
  const stderr = `${UNSET.replace('%', 'error')}${SHOWN}`;
  assert.deepEqual(await cliWithAnnouncements(['workflow', 'validate', '--strict'], surroundings), {
    code: 1,
    signal: null,
    stdout: `${JSON.stringify({ valid: false, errors: [{ workflow: 'ci', message }] })}\n`,
    stderr,
  });
  for (const words of [[], ['--quiet'], ['--dry-run']]) {
    const refused = await cliWithAnnouncements(['workflow', 'run', 'ci', '--strict', ...words], surroundings);
    assert.deepEqual(refused, { code: 2, signal: null, stdout: '', stderr });
  }
  const given = await cli(['workflow', 'run', 'ci', '--strict', 'TARGET:x'], surroundings);
  assert.deepEqual([given.code, given.stderr], [0, '[x]\n']);
});

test('an unused parameter is an error with --strict', async (t) => {
  const cwd = temporaryDirectory(t, { 'f.json': ci(['echo ${VERSION:-}']) });
  const { code, stdout, stderr } = await cli(['workflow', 'run', 'ci', '--file', 'f.json', '--strict', 'VERSON:1'], {
    cwd,
  });
  const sentence = "nothing in workflow 'ci' mentions the parameter 'VERSON'; did you mean 'VERSION'?";
  assert.deepEqual([code, stdout, stderr], [2, '', `cli: ${sentence}\n`]);
});

for (const [given, file, suggestion] of [
  // The nearest word is `TARGER`, which is not a variable.
  ['TARGET:1', ci(['./TARGER.sh "$TARGETS"']), "; did you mean 'TARGETS'?"],
  ['TARGET:1', ci(['echo TARGER']), ''],
  ['APP_ID:1', ci(['echo "${IOS_APP_ID:-}"']), "; did you mean 'IOS_APP_ID'?"],
  ['APP_ID:1', ci([{ run: 'true', if: 'IOS_APP_ID' }]), "; did you mean 'IOS_APP_ID'?"],
  ['APP_ID:1', ci([{ run: 'true', if: 'test -n "$IOS_APP_ID"' }]), "; did you mean 'IOS_APP_ID'?"],
  ['APP_ID:1', ci(['true'], { env: { IOS_APP_ID: '' } }), "; did you mean 'IOS_APP_ID'?"],
] as const) {
  const [name] = given.split(':');
  test(`only a variable is suggested for the unused parameter ${given} with ${JSON.stringify(file)}`, async (t) => {
    const args = ['workflow', 'run', 'ci', '--dry-run', '--file', '-', given];
    const { stderr } = await toolInProcess(t)(args, { input: JSON.stringify(file) });
    const warning = stderr.match(/^cli: warning: .*$/m)?.[0];
    assert.equal(warning, `cli: warning: nothing in workflow 'ci' mentions the parameter '${name}'${suggestion}`);
  });
}

test('a parameter that a command of any workflow mentions as a bare word causes no warning', async (t) => {
  const other = { steps: ['for key in APP_ID VERSION; do test -n "${!key}" || exit 1; done; echo "${TRACK:-}"'] };
  const input = JSON.stringify({ workflows: { ci: { steps: ['./build.sh'] }, release: other } });
  const { stderr } = await toolInProcess(t)(
    ['workflow', 'run', 'ci', '--dry-run', '--file', '-', 'VERSION:1', 'TRACK:beta', 'APP:x'],
    { input },
  );
  const warnings = stderr.split('\n').filter((line) => line.startsWith('cli: warning: '));
  const sentence = "cli: warning: nothing in workflow 'ci' mentions the parameter";
  assert.deepEqual(warnings, [`${sentence} 'TRACK'`, `${sentence} 'APP'`]);
});

test('a condition on a default in env causes no warning, but a condition on a `with` of the same step does', async (t) => {
  const file = ci([{ run: 'true', if: 'PUBLISH' }], { env: { PUBLISH: '' } });
  const tool = toolInProcess(t);
  const args = ['workflow', 'validate', '--strict', '--file', '-'];
  assert.equal((await tool(args, { input: JSON.stringify(file) })).stderr, '');
  const decided = ci([{ run: 'true', if: 'PUBLISH', with: { PUBLISH: '' } }]);
  assert.match((await tool(args, { input: JSON.stringify(decided) })).stderr, /'if' is never true: 'with.PUBLISH' is/);
});

test('a run reports warnings only for reachable workflows', async (t) => {
  const workflows = { ci: { steps: [{ workflow: 'a' }] }, a: { steps: ['echo $A'] }, b: { steps: ['echo $B'] } };
  const cwd = workflowDirectory(t, { workflows });
  const { stderr } = await cli(['workflow', 'explain', 'ci'], { cwd, env: ONLY_PATH });
  assert.deepEqual(stderr.match(/\$\w is used/g), ['$A is used']);
  for (const [words, found] of [
    [['run', 'ci'], ['$A is used']],
    [['workflow', 'run', 'b', '--dry-run'], ['$B is used']],
    [['validate'], ['$A is used', '$B is used']],
  ] as const) {
    const shown = await cli(words, { cwd, env: ONLY_PATH });
    assert.deepEqual(`${shown.stdout}${shown.stderr}`.match(/\$\w is used/g), found, words.join(' '));
  }
});

/** A chain of workflows, each with a variable of its own that no workflow below sets or uses. */
function chainOfScopes(length: number): string {
  const workflow = (n: number): object => ({
    env: { [`V${n}`]: 'x' },
    steps: n === length - 1 ? [{ run: 'true', with: { V0: '1' } }] : [{ workflow: `w${n + 1}`, with: { W: '1' } }],
  });
  return JSON.stringify({
    env: Object.fromEntries(Array.from({ length }, (_, n) => [`V${n}`, 'y'])),
    workflows: Object.fromEntries(Array.from({ length }, (_, n) => [`w${n}`, workflow(n)])),
  });
}

for (const [what, input] of [
  ['12,000 nested scopes', chainOfScopes(12_000)],
  ['a million quotes', JSON.stringify(ci([`echo $A ${`'"`.repeat(500_000)}`]))],
  ['an unterminated string of a million characters', JSON.stringify(ci([`echo $A "${'x\\"'.repeat(333_333)}`]))],
  ['100,000 variables', JSON.stringify(ci([Array.from({ length: 100_000 }, (_, n) => `$V${n}`).join(' ')]))],
  ['100,000 heredocs and comments', JSON.stringify(ci([`$A ${'<<<x # y\n'.repeat(100_000)}`]))],
  ['a million empty lines', JSON.stringify(ci([`$A ${'\n'.repeat(1_000_000)}x`]))],
  ['a million carriage returns', JSON.stringify(ci([`$A ${'\r'.repeat(1_000_000)}x`]))],
  ['a million lines of comments', JSON.stringify(ci([`$A\n${'# a\n'.repeat(1_000_000)}`]))],
  ['a million blanks', JSON.stringify(ci([`$A;${' '.repeat(1_000_000)}x`]))],
  ['a condition of a million quotes', JSON.stringify(ci([{ run: 'a', if: `$A ${`'"`.repeat(500_000)}` }]))],
  ['a condition of a million braces', JSON.stringify(ci([{ run: 'a', if: `{{${',{{'.repeat(300_000)}` }]))],
  ['a condition of a million expansions', JSON.stringify(ci([{ run: 'a', if: `"${'${A'.repeat(300_000)}'` }]))],
  ['a condition of a million blanks', JSON.stringify(ci([{ run: 'a', if: `A${' '.repeat(1_000_000)}"` }]))],
  ['a million tests', JSON.stringify(ci([`$A ${'[ -n '.repeat(1_000_000)}`]))],
  ['a million words that set variables', JSON.stringify(ci([`$A ${'; export -p '.repeat(1_000_000)}`]))],
] as const) {
  test(`${what}: validation takes at most 80 times the CPU time of parsing 8 MB`, async (t) => {
    const tool = toolInProcess(t);
    await assertCpuTime(80, () => tool(['workflow', 'validate', '--file', '-'], { input }));
  });
}

test('a value of `with` that refers to a parameter causes no warning if the parameter is set', async (t) => {
  const call = { A: '${vars.A}', B: '${vars.B:-b}', C: 'x ${vars.C:-c}', D: '${vars.A}' };
  const cwd = workflowDirectory(t, {
    workflows: { ci: { steps: [{ workflow: 'show', with: call }] }, show: { steps: ['echo "$A $B $C $D"'] } },
  });
  const { stderr } = await cli(['workflow', 'run', 'ci', 'A:1', 'B:2', 'C:3', 'D:4'], { cwd });
  const found = stderr.split('\n').filter((line) => line.includes('warning: ') || line.startsWith('1'));
  const ofWith =
    ".cli/workflow.json:1:%: warning: workflow 'ci': step 1: 'with.$' has no effect: a parameter overrides it";
  assert.deepEqual(found, [
    ofWith.replace('%', '96').replace('$', 'C'),
    ofWith.replace('%', '117').replace('$', 'D'),
    '1 2 3 4',
  ]);
});
