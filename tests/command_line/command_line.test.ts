import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { quickCli as cli, toolInProcess } from '../support/in_process.ts';
import { shellWord } from '../../src/base/shell_word.ts';

const SHOW = 'printf "%s|" "$K" "$L"';
const FILE = JSON.stringify({
  workflows: Object.fromEntries(
    ['w', '10', 'true', 'false', 'help', 'version', 'list', '-', '--dry-run'].map((name) => [name, { steps: [SHOW] }]),
  ),
});

/** The document of a dry run, with the variables of its step. */
function shown(workflow: string, env?: Readonly<Record<string, string>>): string {
  const step = { name: 'step_1', command: SHOW, ...(env === undefined ? {} : { env }) };
  return `${JSON.stringify({ workflow, dry_run: true, steps: [step] })}\n`;
}

for (const [args, workflow, env] of [
  [['K:007'], 'w', { K: '007' }],
  [['K:1e3'], 'w', { K: '1e3' }],
  [['K:0x10', 'L:-0'], 'w', { K: '0x10', L: '-0' }],
  [['K:--file'], 'w', { K: '--file' }],
  [['K=--dry-run'], 'w', { K: '--dry-run' }],
  [['K:a=b'], 'w', { K: 'a=b' }],
  [['K=a:b'], 'w', { K: 'a:b' }],
  [['K:', 'L='], 'w', { K: '', L: '' }],
  [['K::', 'L:='], 'w', { K: ':', L: '=' }],
  [['K:1', 'K=2', 'K:3'], 'w', { K: '3' }],
  [['K:"a"', `L:'b c'`], 'w', { K: '"a"', L: `'b c'` }],
  [['K:a\nb\t\\n\u{1F40E}', 'L: '], 'w', { K: 'a\nb\t\\n\u{1F40E}', L: ' ' }],
  [['K:true', 'L:null'], 'w', { K: 'true', L: 'null' }],
  [['K:$HOME`id`$(id)'], 'w', { K: '$HOME`id`$(id)' }],
] as const) {
  test(`parameters are passed byte for byte: ${JSON.stringify(args)}`, async (t) => {
    const words = ['workflow', 'run', workflow, '--dry-run', '--file', '-', ...args];
    const { code, stdout } = await toolInProcess(t)(words, { input: FILE });
    assert.deepEqual([code, stdout], [0, shown(workflow, env)]);
  });
}

test('parameters reach a step of the real process byte for byte', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const args = ['workflow', 'run', 'w', '--quiet', 'K:"a b"\n\'$HOME\' ', 'L=--file=x:'];
  const { code, stderr } = await cli(args, { cwd });
  assert.deepEqual([code, stderr], [0, `"a b"\n'$HOME' |--file=x:|`]);
});

for (const name of ['10', 'true', 'false', 'help', 'version', 'list', '-']) {
  test(`'${name}' is a valid name of a workflow`, async (t) => {
    const tool = toolInProcess(t);
    for (const words of [
      ['workflow', 'run', name, '--dry-run', '--file', '-'],
      ['workflow', 'run', '--file', '-', '--dry-run', name],
      ['--debug', 'workflow', 'run', '--dry-run', '--file=-', '--', name],
    ]) {
      const { code, stdout } = await tool(words, { input: FILE });
      assert.deepEqual([code, stdout], [0, shown(name)], words.join(' '));
    }
  });
}

test('after `--`, a word that looks like a flag is the name of a workflow', async (t) => {
  const words = ['workflow', 'run', '--dry-run', '--file', '-', '--', '--dry-run'];
  const { code, stdout } = await toolInProcess(t)(words, { input: FILE });
  assert.deepEqual([code, stdout], [0, shown('--dry-run')]);
});

test('flags are accepted in any position', async (t) => {
  const tool = toolInProcess(t);
  const words = ['workflow', 'run', 'w', 'K:1'];
  for (let at = 0; at <= words.length; at += 1) {
    for (const file of [['--file', '-'], ['--file=-']]) {
      const args = [...words.slice(0, at), '--dry-run', ...file, ...words.slice(at)];
      const { code, stdout } = await tool(args, { input: FILE });
      assert.deepEqual([code, stdout], [0, shown('w', { K: '1' })], args.join(' '));
    }
  }
});

test('the last value of a repeated flag applies', async (t) => {
  const cwd = temporaryDirectory(t, { 'other.json': FILE });
  const args = ['workflow', 'run', 'w', '--dry-run', '--dry-run'];
  const files = ['--file', 'missing.json', '--file=other.json'];
  const last = await cli([...args, ...files], { cwd });
  assert.deepEqual([last.code, last.stdout], [0, shown('w')]);
});

const RUN_HELP = "cli: see 'cli workflow run --help'\n";
const HELP = "cli: see 'cli --help'\n";
const RUN = 'cli: to run a workflow: cli run <name>\n';
const LIST_HELP = "cli: see 'cli workflow list --help'\n";

/** The workflows of `FILE`, as `list` shows them. */
const ALL = ['10', 'w', 'true', 'false', 'help', 'version', 'list', '-', '--dry-run']
  .map((name) => `${name.padEnd(9)}  1 step\n`)
  .join('');

/** Invalid command lines, and standard error. */
/** The hint about an unknown flag of a command that starts others. */
const AFTER = '; flags for the commands of a workflow come after --';

/** The errors about an unknown flag, and the words of a line that passes it on. */
const passedOn = (flag: string, words: string): string =>
  `cli: unknown flag '${flag}'${AFTER}\ncli: to pass them on: cli ${words.replace(/--\$\S+/, shellWord)}\n`;

const USAGE = 'cli: usage: cli run w --file -\n';

const REFUSED: readonly (readonly [args: readonly string[], stderr: string])[] = [
  [['workflow'], `cli: the command is missing\n${HELP}`],
  [['auth'], `cli: the command is missing; commands: auth status\n${HELP}`],
  [['lst'], `cli: unknown command 'lst'; did you mean 'list' or 'lsp'?\n${HELP}`],
  [['valdate', 'x'], `cli: unknown command 'valdate'; did you mean 'validate'?\n${HELP}`],
  [['help', 'lst'], `cli: unknown command 'lst'; did you mean 'list' or 'lsp'?\n${HELP}`],
  [['version', '1'], `cli: unexpected argument '1'\n${HELP}`],
  [['list', '-n'], `cli: 'cli list' has no flag '--dry-run'\ncli: see 'cli list --help'\n`],
  [['run', 'w', '-qn'], `${passedOn('-qn', 'run w -- -qn')}cli: see 'cli run --help'\n`],
  [['run', 'w', '-y'], `cli: unknown flag '-y'; did you mean '--yes'?\ncli: see 'cli run --help'\n`],
  [['run', 'w', '-f'], `cli: flag '--file' needs a value\ncli: see 'cli run --help'\n`],
  [
    ['validate', 'x.json'],
    `cli: unexpected argument 'x.json'; did you mean '--file x.json'?\ncli: see 'cli validate --help'\n`,
  ],
  [['wrokflow'], `cli: unknown command 'wrokflow'\n${RUN}${HELP}`],
  [['workflow', 'lst'], `cli: unknown command 'workflow lst'; did you mean 'workflow list'?\n${HELP}`],
  [['workflow', 'x'], `cli: unknown command 'workflow x'\n${HELP}`],
  [['workflow', 'run', '-f', '-'], `cli: the name of the workflow is missing; the workflows of <stdin>:\n${ALL}`],
  [['workflow', 'list', 'x', 'y'], `cli: unexpected argument 'x'\ncli: unexpected argument 'y'\n${LIST_HELP}`],
  [['workflow', 'validate', 'K:v'], `cli: unexpected argument 'K…'\ncli: see 'cli workflow validate --help'\n`],
  [['auth', 'status', 'x'], `cli: unexpected argument 'x'\ncli: see 'cli auth status --help'\n`],
  [['workflow', 'run', 'w', '--fiel', 'x'], `cli: unknown flag '--fiel'; did you mean '--file'?\n${RUN_HELP}`],
  [['workflow', 'run', 'w', '--dryrun'], `cli: unknown flag '--dryrun'; did you mean '--dry-run'?\n${RUN_HELP}`],
  [['workflow', 'run', 'w', '--dryRun'], `cli: unknown flag '--dryRun'; did you mean '--dry-run'?\n${RUN_HELP}`],
  [['workflow', 'run', 'w', '--no-pretty'], `cli: unknown flag '--no-pretty'; did you mean '--pretty'?\n${RUN_HELP}`],
  [['workflow', 'run', 'w', '--all'], `cli: 'cli workflow run' has no flag '--all'\n${RUN_HELP}`],
  [['workflow', 'list', '--dry-run'], `cli: 'cli workflow list' has no flag '--dry-run'\n${LIST_HELP}`],
  [['workflow', 'run', 'w', '-x'], `${passedOn('-x', 'workflow run w -- -x')}${RUN_HELP}`],
  [['workflow', 'run', 'w', '-\n'], `${passedOn('-\\n', "workflow run w -- $'-\\012'")}${RUN_HELP}`],
  [['workflow', 'run', 'w', '--a.bcd=1'], `${passedOn('--a.bcd', 'workflow run w -- --a.bcd=1')}${RUN_HELP}`],
  [['workflow', 'run', 'w', '--dry-run=1'], `cli: flag '--dry-run' takes no value\n${RUN_HELP}`],
  [['workflow', 'run', 'w', '--dry-run=false'], `cli: flag '--dry-run' takes no value\n${RUN_HELP}`],
  [['workflow', 'run', 'w', '--pretty='], `cli: flag '--pretty' takes no value\n${RUN_HELP}`],
  [['--help=x'], `cli: flag '--help' takes no value\n${HELP}`],
  [['workflow', 'run', 'w', '--file'], `cli: flag '--file' needs a value\n${RUN_HELP}`],
  [['workflow', 'run', 'w', '--file='], `cli: flag '--file' needs a value\n${RUN_HELP}`],
  [['workflow', 'run', 'w', '--file', '--dry-run'], `cli: flag '--file' needs a value\n${RUN_HELP}`],
  [['workflow', 'run', 'w', 'x', '--file', '-'], `cli: parameter 1 ('x') is not of the form KEY:VALUE\n${USAGE}`],
  [['workflow', 'run', 'w', 'K:1', '-5'], `${passedOn('-5', 'workflow run w K:1 -- -5')}${RUN_HELP}`],
  [
    ['run', 'w', 'VERSION', '1', 'x', '--file', '-'],
    `cli: parameter 1 ('VERSION') is not of the form KEY:VALUE; did you mean 'VERSION:1'?\ncli: parameter 3 ('x') is not of the form KEY:VALUE\n${USAGE}`,
  ],
  [
    ['workflow', 'run', '--file', '-', '--', 'w', '--pretty'],
    `cli: parameter 1 ('--pretty') is not of the form KEY:VALUE\n${USAGE}`,
  ],
  // Words with a meaning to a parser written in JavaScript.
  ...['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__', '_', '$0'].map(
    (name) =>
      [
        ['workflow', 'run', 'w', `--${name}=1`],
        `${passedOn(`--${name}`, `workflow run w -- --${name}=1`)}${RUN_HELP}`,
      ] as const,
  ),
  ...['constructor', '__proto__', '_', '$0'].map(
    (name) =>
      [
        ['workflow', 'run', 'w', `--${name}`],
        `${passedOn(`--${name}`, `workflow run w -- --${name}`)}${RUN_HELP}`,
      ] as const,
  ),
  [['constructor'], `cli: unknown command 'constructor'\n${RUN}${HELP}`],
  [['workflow', '__proto__'], `cli: unknown command 'workflow __proto__'\n${HELP}`],
  [['workflow', 'run', 'w', '-h=3'], `cli: flag '--help' takes no value\n${RUN_HELP}`],
];

for (const [args, stderr] of REFUSED) {
  test(`usage error, nothing runs: cli ${args.join(' ')}`, async (t) => {
    const result = await toolInProcess(t)(args, { input: FILE });
    assert.deepEqual(result, { code: 2, stdout: '', stderr });
  });
}

test('the given command is not suggested as its own replacement', async (t) => {
  const { stderr } = await toolInProcess(t)(['--', 'workflow', 'run', 'w']);
  assert.notEqual(stderr, `cli: unknown command 'run'; did you mean 'run'?\n${HELP}`);
});

test('an unknown workflow is an error that suggests the nearest name', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { release: { steps: [] } } });
  assert.deepEqual(await cli(['workflow', 'run', 'relaese'], { cwd }), {
    code: 2,
    signal: null,
    stdout: '',
    stderr:
      "cli: no workflow 'relaese' in .cli/workflow.json; did you mean 'release'?\n" +
      'cli: to list the workflows: cli list --all\n',
  });
});

test('-h in any position prints the help and runs nothing', async (t) => {
  const tool = toolInProcess(t);
  const help = await tool(['workflow', 'run', '--help']);
  for (const words of [
    ['workflow', 'run', 'w', '-h', 'K:1'],
    ['workflow', 'run', '-h', 'w'],
    ['-h', 'workflow', 'run'],
  ]) {
    assert.deepEqual(await tool(words, { input: FILE }), { ...help, code: 0, stderr: '' }, words.join(' '));
  }
});
