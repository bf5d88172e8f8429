/* What the commands of exported scripts inherit, and what the environment of a script does to it. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { COMMAND, finish, workflowDirectory } from '../support/cli.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { inProcess } from '../support/in_process.ts';
import { needs, program } from '../support/needs.ts';
import { PROC } from '../support/processes/processes.ts';

/** A directory with a workflow file, and the script of its workflow `x`. */
async function exported(t: TestContext, file: object): Promise<string> {
  const cwd = workflowDirectory(t, file);
  const { code, stdout, stderr } = await inProcess(t, ['export', 'x'], { cwd, env: ONLY_PATH });
  assert.equal(code, 0, stderr);
  writeFileSync(join(cwd, 'x.sh'), stdout);
  return cwd;
}

/** Prints the variables that a program receives, but not the marker of the run. */
const PRINT = `cat ${PROC}/self/environ | tr "\\\\0" "\\\\n" | grep -av "^CLI_RUN_" | sort`;

/** Names that mean something to bash or to the script, as any workflow may use them. */
const NAMES = ['UID', 'EUID', 'PPID', 'GROUPS', 'DIRSTACK', 'FUNCNAME', 'BASH_VERSINFO', 'HISTCMD', 'IFS']
  .concat(['OPTIND', 'REPLY', 'FUNCNEST', 'BASH_XTRACEFD', 'TMOUT', 'PWD', 'wf_scope', 'wf_words', 'wf_dir', 'wf_text'])
  .concat(['__proto__', 'CLI_OUTPUT_X']);

test('the commands of a script have the same environment as in a run', async (t) => {
  const steps = [PRINT, { run: PRINT, dir: '-' }, { run: PRINT, with: { GLOBIGNORE: '*', PATH: '/usr/bin:/bin' } }];
  const given = {
    GREETING: 'a "b"\n$c',
    PAIR: '(1 2)',
    LC_ALL: 'xx_XX',
    ...Object.fromEntries(NAMES.map((name) => [name, '1'])),
  };
  const cwd = await exported(t, { env: given, workflows: { x: { steps } } });
  mkdirSync(join(cwd, '-'));
  const odd = {
    'odd.name': '1',
    PPID: '7',
    IFS: 'x',
    COLUMNS: '33',
    name: 'n',
    scope: 's',
    REPLY: 'r',
    OLDPWD: '/usr',
  };
  const shell = { POSIXLY_CORRECT: '1', BASH_ENV: './no', CDPATH: '/usr', 'BASH_FUNC_printf%%': '() {  echo mine\n}' };
  const options = { BASH_COMPAT: '4.2', FUNCNEST: '1', GLOBIGNORE: '*', TMOUT: '1', CLI_OUTPUT_1: 'outer' };
  const env = { ...ONLY_PATH, ...odd, ...shell, ...options };
  const [file, ...first] = COMMAND;
  const ran = await finish(file, [...first, 'run', 'x', '--quiet'], { cwd, env });
  // The shell that starts the script would print the variables of BASH_ENV.
  writeFileSync(join(cwd, 'no'), '');
  const { code, stderr } = await finish('bash', ['x.sh'], { cwd, env });
  assert.deepEqual([code, ran.code], [0, 0]);
  assert.equal(stderr.replaceAll(/^x\.sh: step 'step_\d' of workflow 'x'\n/gm, ''), ran.stderr);
});

/** Prints the variables with which the shell was started, except for the marker and that of the shell before it. */
const PRINT_OWN = `tr "\\\\0" "\\n" <${PROC}/$$/environ | grep -av -e ^CLI_RUN_ -e ^_= | sort >of_program; echo value`;

test('the program of a secret has the same environment in a script as in a run, and as its steps', async (t) => {
  const cwd = await exported(t, {
    secrets: { KEY: { command: ['bash', '-p', '-c', PRINT_OWN] } },
    workflows: { x: { steps: [{ run: `echo "PWD=$PWD" >of_step`, secrets: ['KEY'] }] } },
  });
  const [file, ...first] = COMMAND;
  const options = { BASH_ENV: '/dev/null', SHELLOPTS: 'pipefail', BASHOPTS: 'failglob', CLI_OUTPUT_1: 'outer' };
  symlinkSync(cwd, `${cwd}/link`);
  for (const PWD of [undefined, '/nosuch', '/', cwd, `${cwd}/link`]) {
    const env = { ...ONLY_PATH, ...options, CLI_OUTPUT_X: 'own', SHLVL: '3', PWD };
    const ran = await finish(file, [...first, 'run', 'x', '--quiet'], { cwd, env });
    const [ofRun, ofStep] = ['of_program', 'of_step'].map((name) => readFileSync(join(cwd, name), 'utf8'));
    const { code, stderr } = await finish('bash', ['x.sh'], { cwd, env });
    assert.deepEqual([ran.code, code], [0, 0], stderr);
    assert.equal(readFileSync(join(cwd, 'of_program'), 'utf8'), ofRun);
    assert.equal(readFileSync(join(cwd, 'of_step'), 'utf8'), ofStep);
    assert.deepEqual(ofRun?.match(/^(?:PWD|BASH_ENV|SHELLOPTS|BASHOPTS|CLI_OUTPUT_1)=.*\n/gm), [ofStep]);
  }
});

test('the programs of a script are given no value as an argument', needs('strace', 'python3'), async (t) => {
  const env = { FROM_FILE: 'hidden-file', PLACE: 'hidden-dir', UID: 'hidden-uid' };
  const inputs = { FROM_DEFAULT: { default: 'hidden-default' }, FROM_ENVIRONMENT: {} };
  const steps = [
    { name: 'a', run: 'printf hidden-; echo output', outputs: { O: 'text' } },
    {
      run: 'test -n "${steps.a.O}" && env | grep -c hidden-',
      dir: '${vars.PLACE}',
      with: { W: 'of ${vars.FROM_FILE}' },
    },
    { run: 'env | grep -c hidden-', if: 'FROM_DEFAULT', matrix: { M: ['hidden-matrix'] } },
  ];
  const cwd = await exported(t, {
    env,
    dotenv: '.env',
    finally: 'env | grep -c hidden-',
    workflows: { x: { inputs, steps } },
  });
  writeFileSync(join(cwd, '.env'), 'FROM_DOTENV=hidden-dotenv\n');
  mkdirSync(join(cwd, 'hidden-dir'));
  const args = ['-f', '-e', 'trace=execve', '-s', '9999', '-o', 'trace', 'bash', 'x.sh'];
  const secret = { ...ONLY_PATH, FROM_ENVIRONMENT: 'hidden-environment' };
  const { code, stderr } = await finish(program('strace'), args, { cwd, env: secret });
  assert.equal(code, 0, stderr);
  assert.deepEqual(stderr.match(/^\d+$/gm), ['9', '7', '6']);
  const calls = readFileSync(join(cwd, 'trace'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('execve('));
  assert.ok(calls.length > 10);
  // The first step's command contains its own text.
  assert.deepEqual(
    calls.filter((line) => /hidden-[a-z]/.test(line)),
    [],
  );
});

for (const [title, first, args] of [
  ['as an argument of bash', 'bash', ['--', '-c']],
  ['as a path', './-c', []],
] as const) {
  test(`a script runs from a file called -c, given ${title}`, async (t) => {
    const cwd = await exported(t, { workflows: { x: { steps: ['echo "<$V>"'] } } });
    renameSync(join(cwd, 'x.sh'), join(cwd, '-c'));
    chmodSync(join(cwd, '-c'), 0o755);
    const { code, stdout, stderr } = await finish(first, [...args, 'V:1'], { cwd, env: ONLY_PATH });
    assert.deepEqual(
      { code, stdout, stderr },
      { code: 0, stdout: '', stderr: "-c: step 'step_1' of workflow 'x'\n<1>\n" },
    );
  });
}

test('options of bash from the environment do not affect a script that is started by its path', async (t) => {
  const cwd = await exported(t, { workflows: { x: { steps: ['echo "<$SHELLOPTS>" | grep -c noexec; exit 3'] } } });
  chmodSync(join(cwd, 'x.sh'), 0o755);
  const env = { ...ONLY_PATH, SHELLOPTS: 'noexec:errexit', BASHOPTS: 'failglob', BASH_ENV: '/dev/stdin' };
  const { code, stderr } = await finish('./x.sh', [], { cwd, env });
  const lines = ["step 'step_1' of workflow 'x'", "step 'step_1' of workflow 'x' failed with exit code 3"];
  assert.deepEqual({ code, stderr }, { code: 1, stderr: `x.sh: ${lines[0]}\n0\nx.sh: ${lines[1]}\n` });
});

test(
  'a script contains no hidden character, its commands receive them, and text after `:-` is no code',
  needs('python3'),
  async (t) => {
    const hidden = '\r\u001B\u0085\u202E\u2066\u200B\u200D\u2060\uFEFF\u00AD\u180E\u{E0000}\u{E0041}\u{E007F}';
    const fallback = `"a" 'b' \\ $HOME \`date\` $(date) ${hidden}`;
    const text = `it's "x" \\ $y ${hidden}`;
    const steps = [
      { name: 'a', run: 'true', outputs: { O: 'text' }, if: 'NEVER' },
      {
        run: `printf '%s\\n' "\${steps.a.O:-${fallback}}" "$F" '${hidden}'`,
        with: { W: `\${vars.NONE:-${fallback}}` },
      },
      `printf '%s\\n' "$F"`,
    ];
    const file = {
      env: { F: text, G: `\${vars.NONE:-a${fallback}}` },
      workflows: { x: { steps: [...steps, `printf '%s\\n' "$G"`] } },
    };
    const cwd = await exported(t, file);
    assert.doesNotMatch(readFileSync(join(cwd, 'x.sh'), 'utf8'), /(?![\n\t])[\p{C}\p{Zl}]/u);
    const { code, stderr } = await finish('bash', ['x.sh'], { cwd, env: ONLY_PATH });
    assert.equal(code, 0, stderr);
    const printed = stderr.split('\n').filter((line) => !line.startsWith('x.sh: '));
    assert.deepEqual(printed, [fallback, text, hidden, text, `a${fallback}`, '']);
  },
);
