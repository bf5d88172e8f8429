import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { cli, temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';
import { assertCpuTime } from '../support/cpu_time.ts';

const FILE = {
  env: { STAGE: 'dev' },
  workflows: {
    release: {
      description: 'Build and publish\nall of it',
      steps: [
        { workflow: 'build', if: 'BUILD', with: { MODE: 'fast' } },
        { name: 'tag', if: '[ -n "$TAGGED" ]', run: 'git tag "$VERSION" ${MESSAGE:+-m "$MESSAGE"}' },
      ],
    },
    build: { private: true, env: { MODE: 'slow' }, steps: ['make'] },
    'build:all': { steps: [] },
    'a b': { steps: [] },
    '--odd': { steps: [] },
    'left\u202Eright': { steps: [] },
  },
};

/** The response to a shell. Standard error is empty, and the exit code is 0. */
async function answer(t: TestContext, given: readonly string[], cwd = workflowDirectory(t, FILE)): Promise<string[]> {
  const { stdout, ...rest } = await inProcess(t, ['completion', 'words', '--', ...given], { cwd, input: '{"a' });
  assert.deepEqual(rest, { code: 0, signal: null, stderr: '' });
  return stdout.split('\n').slice(0, -1);
}

const LISTED = ['release\tBuild and publish all of it', 'build:all\t', 'a b\t'];
const KEYS = ['STAGE:\t', 'MODE:\t', 'BUILD:\t', 'TAGGED:\t', 'VERSION:\t', 'MESSAGE:\t'];
const NAMES = KEYS.map((key) => key.replace(':', ''));
const GLOBAL = [
  '--debug\tPrint debugging information to standard error',
  '--help\tPrint help',
  '--version\tPrint the version',
];
const FILES = ['\t'];

/** The words after `cli`, the last one up to the cursor, and their completions. */
const ANSWERS: readonly (readonly [typed: readonly string[], lines: readonly string[]])[] = [
  [['auth', ''], ['status\tShow which credentials are set']],
  [['--debug', 'auth', ''], ['status\tShow which credentials are set']],
  [['completion', ''], ['bash', 'zsh', 'fish'].map((shell) => `${shell}\tPrint the ${shell} completion script`)],
  [['nothing', ''], []],
  [['workflow', 'nothing', ''], []],
  [['help', 'page', ''], []],
  [['-'], GLOBAL],
  [
    ['auth', 'status', '--debug', '-'],
    ['--pretty\tIndent JSON output', ...GLOBAL.slice(1, 2)],
  ],
  [['auth', 'status', ''], []],
  [['workflow', 'list', ''], []],
  [
    ['workflow', 'list', '--format', ''],
    ['json\t', 'table\t'],
  ],
  [
    ['workflow', 'list', '--format=t'],
    ['--format=json\t', '--format=table\t'],
  ],
  [['auth', 'status', '--format', ''], []],
  [['workflow', 'run', '--file', ''], FILES],
  [['workflow', 'run', '--file='], FILES],
  [['workflow', 'init', '--from', 'p'], FILES],
  [['workflow', 'run', ''], LISTED],
  [['workflow', 'run', '--dry-run', ''], LISTED],
  [['workflow', 'run', '', '--', ''], FILES],
  [['workflow', 'run', 'bui'], LISTED],
  [
    ['workflow', 'run', '--', ''],
    [...LISTED, '--odd\t'],
  ],
  [
    ['workflow', 'run', '--', '--o'],
    [...LISTED, '--odd\t'],
  ],
  [['run', 'release', '--', ''], FILES],
  [['run', 'release', '-q', '--', '--verbose', 'V'], FILES],
  [['run', '--', 'release', '--', ''], FILES],
  [['run', '--', 'release', ''], KEYS],
  [
    ['explain', 'release', '--', ''],
    [...NAMES, ...KEYS],
  ],
  [['workflow', 'run', 'build'], LISTED],
  [['workflow', 'graph', 'r'], LISTED],
  [['workflow', 'export', 'r'], LISTED],
  [['workflow', 'graph', 'release', ''], []],
  [['workflow', 'run', 'release', ''], KEYS],
  [['workflow', 'run', 'release', 'VERSION:1', 'MODE=x', ''], KEYS.filter((key) => !/MODE|VERSION/.test(key))],
  [['workflow', 'run', 'release', 'VERSION:'], []],
  [['workflow', 'run', 'release', 'VERSION:1'], []],
  [
    ['workflow', 'run', 'build', ''],
    ['STAGE:\t', 'MODE:\t'],
  ],
  [['workflow', 'run', 'none', ''], []],
  [['workflow', 'explain', ''], LISTED],
  [
    ['workflow', 'explain', 'release', ''],
    [...NAMES, ...KEYS],
  ],
  [['workflow', 'explain', 'release', 'STAGE', ''], KEYS.slice(1)],
  [
    ['workflow', 'explain', 'release', '--step', ''],
    ['step_1\tmake', 'tag\tgit tag "$VERSION" ${MESSAGE:+-m "$MESSAGE"}'],
  ],
  [['workflow', 'explain', '--step', ''], []],
  [['workflow', 'explain', '--step', '1', 'release', 'X:1', ''], KEYS],
];

for (const [typed, lines] of ANSWERS) {
  test(`\`cli ${typed.join(' ')}\` has ${lines.length} completions`, async (t) => {
    assert.deepEqual(await answer(t, ['fish', 'cli', ...typed]), lines);
  });
}

/** A line of bash up to the cursor, and the texts to insert. */
const REPLIES: readonly (readonly [line: string, replies: readonly string[]])[] = [
  ['cli work', ['worker', 'workflow']],
  ['cli workflow run a', [String.raw`a\ b`]],
  [String.raw`cli workflow run a\ `, [String.raw`a\ b`]],
  ["cli workflow run 'a", ['a b']],
  ['cli workflow run a" ', [' b']],
  ['cli workflow run\u00A0', []],
  ['cli "work"flow run build:', ['all']],
  ['cli workflow run "build:a', ['build:all']],
  [String.raw`cli workflow run build\:a`, [String.raw`build:all`]],
  ['cli workflow run release VERSION:', []],
  ['cli workflow list --format=j', ['json']],
  ['cli workflow run --file=.cli/', FILES],
  ['cli workflow run $(touch x) `touch x` ', []],
  ['cli workflow run "', ['release', 'build:all', 'a b']],
];

for (const [line, replies] of REPLIES) {
  test(`bash completes the line ${JSON.stringify(line)}`, async (t) => {
    assert.deepEqual(await answer(t, ['bash', line, ' \t\n"\'@><=;|&(:']), replies);
  });
}

test('private workflows are offered only if no public name begins with the typed text', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { open: { steps: [] }, _inner: { private: true, steps: [] } } });
  assert.deepEqual(await answer(t, ['zsh', 'cli', 'workflow', 'run', ''], cwd), ['open\t']);
  assert.deepEqual(await answer(t, ['bash', 'cli workflow run _', ''], cwd), ['_inner']);
});

/** Commands, and the parameters offered for them. */
const EXPECTED: readonly (readonly [command: string, names: readonly string[]])[] = [
  ['echo "$A ${B} ${C:-x} ${#D} \\$E" \'$F\'', ['A', 'B', 'C', 'D']],
  ['tag=$V; echo "$tag"; read -r answer; echo $answer', ['V']],
  ['for x in $LIST; do echo $x; done', ['LIST']],
  ['A=${A:-1}; B="${B#v}"; echo $A $B', ['A', 'B']],
  ['make --prefix=$PREFIX MODE=$MODE -j"$JOBS"', ['PREFIX', 'MODE', 'JOBS']],
  ['cd "$HOME" && echo $PWD $1 $? $$', []],
  ['tar xf $FILE.tar.gz && echo "${V}.$W.x"', ['FILE', 'V', 'W']],
];

for (const [command, names] of EXPECTED) {
  test(`the offered parameters are ${names.join(', ') || 'nothing'}: ${command}`, async (t) => {
    const cwd = workflowDirectory(t, { workflows: { w: { steps: [command] } } });
    const keys = names.map((name) => `${name}:`);
    assert.deepEqual(await answer(t, ['bash', 'cli workflow run w ', ''], cwd), keys);
  });
}

test('outputs are not offered as parameters, and an unresolved reference gives no names', async (t) => {
  const given = { name: 'a', run: './a', outputs: { X: '$.x' } };
  const reader = { name: 'b', run: 'b ${steps.a.X} $V', if: 'test ${steps.a.X}', with: { W: '${steps.a.X}' } };
  const steps = [given, reader];
  const cwd = workflowDirectory(t, { finally: 'c ${steps.a.X}', workflows: { w: { steps }, v: { steps: [reader] } } });
  const complete = (...words: string[]): Promise<unknown> => answer(t, ['fish', 'cli', 'workflow', ...words, ''], cwd);
  assert.deepEqual(await complete('run', 'w'), ['W:\t', 'V:\t']);
  assert.deepEqual(await complete('explain', 'w', '--step'), ['a\t./a', 'b\tb ${steps.a.X} $V']);
  assert.deepEqual(await complete('run', 'v'), []);
  assert.deepEqual(await complete('explain', 'v', '--step'), []);
});

test('names come from the file given by --file, also below the home directory', async (t) => {
  const cwd = temporaryDirectory(t, { 'a b.json': { workflows: { there: { steps: ['$X'] } } } });
  assert.deepEqual(await answer(t, ['fish', 'cli', 'workflow', 'run', '--file', 'a b.json', ''], cwd), ['there\t']);
  assert.deepEqual(await answer(t, ['bash', "cli --file='a b.json' workflow run there ", ''], cwd), ['X:']);
  const given = ['completion', 'words', '--', 'zsh', 'cli', 'workflow', 'run', '--file', '~/a b.json', ''];
  assert.equal((await inProcess(t, given, { cwd: '/', env: { HOME: cwd } })).stdout, 'there\t\n');
});

test('a missing, broken, huge, invalid or irregular file gives no names, no message, and no delay', async (t) => {
  const cwd = temporaryDirectory(t, {
    'broken.json': '{"workflows": {"a": ',
    'unlinked.json': { workflows: { a: { steps: [{ workflow: 'b' }] } } },
    'empty.json': '',
    'folder/file': '',
    'deep.json': '['.repeat(5_000_000),
    'huge.json': JSON.stringify(FILE),
  });
  truncateSync(join(cwd, 'huge.json'), 2 ** 34);
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  for (const file of [
    'missing.json',
    'broken.json',
    'empty.json',
    'deep.json',
    'huge.json',
    'folder',
    'pipe',
    '-',
    '/dev/zero',
    'empty.json/x',
    '',
  ]) {
    const words = ['fish', 'cli', 'workflow', 'run', '--file', file, ''];
    assert.deepEqual(await assertCpuTime(10, () => answer(t, words, cwd)), [], file);
  }
  assert.deepEqual(await answer(t, ['fish', 'cli', 'workflow', 'run', '--file', 'unlinked.json', ''], cwd), ['a\t']);
  assert.deepEqual(await answer(t, ['fish', 'cli', 'workflow', 'run', '--file', 'unlinked.json', 'a', ''], cwd), []);
});

test('meaningless words are not an error', async (t) => {
  for (const given of [
    ['fish'],
    ['fish', ''],
    ['bash'],
    ['bash', '"'],
    ['nothing', '--', '--', '--'],
    ['', '__proto__', ''],
  ]) {
    await answer(t, given);
  }
});

test('the real process ignores a closed standard output and does not read standard input', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const words = ['completion', 'words', '--', 'fish', 'cli', 'workflow', 'run', ''];
  const stdout = `${LISTED.join('\n')}\n`;
  assert.deepEqual(await cli(words, { cwd }), { code: 0, signal: null, stdout, stderr: '' });
});
