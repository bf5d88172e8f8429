import assert from 'node:assert/strict';
import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../support/cli.ts';
import { ONLY_PATH } from '../support/environment.ts';
import {
  quickCli as cli,
  quickCliWithAnnouncements as cliWithAnnouncements,
  inProcess,
} from '../support/in_process.ts';

const FILE = { workflows: { where: { steps: ['pwd -P; echo "$PWD"'] } } };

/** The directory `a/b` of a repository with some files. */
function subdirectory(t: TestContext, files: Readonly<Record<string, unknown>>): { root: string; cwd: string } {
  const root = temporaryDirectory(t, { '.git/HEAD': '', ...files });
  const cwd = join(root, 'a/b');
  mkdirSync(cwd, { recursive: true });
  return { root, cwd };
}

test('the file is found from a subdirectory, and commands run in the directory of the file', async (t) => {
  const { root, cwd } = subdirectory(t, { '.cli/workflow.json': FILE });
  const using = 'cli: using ../../.cli/workflow.json; commands run in ../..\n';
  for (const words of [['run'], ['workflow', 'run']]) {
    const { code, stderr } = await cli([...words, 'where'], { cwd });
    assert.deepEqual([code, stderr], [0, `${using}${root}\n${root}\n`]);
  }
  const quiet = await cli(['run', 'where', '-q'], { cwd });
  assert.deepEqual([quiet.code, quiet.stderr], [0, `${root}\n${root}\n`]);
  assert.deepEqual(await inProcess(t, ['list'], { cwd }), {
    code: 0,
    signal: null,
    stdout: 'where  1 step\n',
    stderr: using,
  });
});

test('PWD is the directory of the file, also in values and in explain', async (t) => {
  const file = { workflows: { where: { env: { BIN: '${vars.PWD}/bin' }, steps: ['echo "$BIN $PWD"', 'exit 1'] } } };
  const { root, cwd } = subdirectory(t, { '.cli/workflow.json': file });
  const env = { ...ONLY_PATH, PWD: cwd, CLI_NO_JOURNAL: undefined };
  for (const words of [
    ['run', 'where'],
    ['resume', '--last', '--rerun', 'step_1'],
  ]) {
    const { stderr } = await cliWithAnnouncements([...words, '--quiet'], { cwd, env });
    assert.equal(stderr.split('\n')[0], `${root}/bin ${root}`);
  }
  const explained = await inProcess(t, ['explain', 'where', 'PWD'], { cwd, env: { PWD: cwd } });
  assert.ok(explained.stdout.includes(`  PWD=${root}  (environment)\n`), explained.stdout);
});

test('the help of a workflow has its inputs in a subdirectory, too, and for included workflows', async (t) => {
  const build = { inputs: { TARGET: { required: true } }, steps: ['echo "$TARGET"'] };
  const { cwd } = subdirectory(t, {
    '.cli/workflow.json': { include: { lib: '../lib.json' }, workflows: { build } },
    'lib.json': { workflows: { build } },
  });
  for (const name of ['build', 'lib:build']) {
    const { stdout } = await inProcess(t, ['run', name, '--help'], { cwd });
    assert.equal(stdout.split('\n')[0], `cli run ${name} TARGET:VALUE`);
  }
});

test('the nearest file is used', async (t) => {
  const { cwd } = subdirectory(t, { '.cli/workflow.json': FILE, 'a/.cli/workflow.json': { workflows: {} } });
  const { stdout, stderr } = await inProcess(t, ['list', '--format', 'json'], { cwd });
  assert.deepEqual([stdout, stderr], ['[]\n', 'cli: using ../.cli/workflow.json; commands run in ..\n']);
});

test('the path of a report is relative to the directory of the caller', async (t) => {
  const { root, cwd } = subdirectory(t, { '.cli/workflow.json': FILE });
  const absolute = join(root, 'absolute.json');
  for (const report of ['r.json', absolute]) {
    assert.equal((await cli(['run', 'where', '--report', report], { cwd })).code, 0);
  }
  assert.deepEqual([existsSync(join(cwd, 'r.json')), existsSync(absolute)], [true, true]);
});

const NONE = 'cli: no .cli/workflow.json here; to begin: cli init\n';

/** The message about a file further up, outside of the repository, which is not used. */
function outside(way: string, run = 'NAME'): string {
  const file = `${way}/.cli/workflow.json`;
  return `cli: no .cli/workflow.json here
cli: ${file} is not used: it is outside of the Git repository of this directory
cli: to go to its directory: cd ${way}
cli: to run its steps in this directory: cli run -f ${file} ${run}
`;
}

test('the search ends at the root of the repository', async (t) => {
  const outer = temporaryDirectory(t, {
    '.git/HEAD': '',
    '.cli/workflow.json': FILE,
    'inner/.git': 'gitdir: elsewhere',
    'inner/a/x': '',
  });
  const { code, stderr } = await inProcess(t, ['list'], { cwd: join(outer, 'inner/a') });
  assert.deepEqual([code, stderr], [2, outside('../..')]);
  const typed = ['run', 'where', 'TAG:a b', '--', '-v'];
  const again = await inProcess(t, typed, { cwd: join(outer, 'inner/a') });
  assert.deepEqual([again.code, again.stderr], [2, outside('../..', "where 'TAG:a b' -- -v")]);
});

test('without a repository, the parents of the same owner are searched, up to one in which everyone may write', async (t) => {
  const root = temporaryDirectory(t, { 'own/.cli/workflow.json': FILE, 'own/a/b/x': '' });
  const own = join(root, 'own');
  const cwd = join(own, 'a/b');
  const found = await cli(['run', 'where'], { cwd });
  const using = 'cli: using ../../.cli/workflow.json; commands run in ../..\n';
  assert.deepEqual([found.code, found.stderr], [0, `${using}${own}\n${own}\n`]);
  chmodSync(own, 0o1777);
  const lines = `cli: no .cli/workflow.json here
cli: ../../.cli/workflow.json is not used: it is in or above a directory that other users may write to, and not in a Git repository
cli: to go to its directory: cd ../..
cli: to have it found from all directories below: git init ../..
cli: to run its steps in this directory: cli run -f ../../.cli/workflow.json NAME
`;
  const shared = await inProcess(t, ['list'], { cwd });
  assert.deepEqual([shared.code, shared.stderr], [2, lines]);
});

test('a file given by --file is not searched for', async (t) => {
  const { cwd } = subdirectory(t, { '.cli/workflow.json': FILE });
  const { code, stderr } = await inProcess(t, ['list', '--file', '.cli/workflow.json'], { cwd });
  assert.deepEqual([code, stderr], [2, 'cli: cannot read .cli/workflow.json: it does not exist\n']);
});

const MIGRATING = 'https://github.com/workflow-plan/workflow-plan/blob/main/docs/migrating.md';

for (const [name, content, hint] of [
  ['.asc/workflow.json', '{}', `can be copied to .cli/workflow.json; for the differences: ${MIGRATING}#asc-workflow`],
  ...['justfile', 'Justfile', '.justfile', 'Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml'].map(
    (name) => [name, '', `can be converted: cli init --from ${name}`] as const,
  ),
  ...['Makefile', 'makefile', 'GNUmakefile'].map(
    (name) => [name, '', `can be converted: cli init --from ${name}`] as const,
  ),
  ['package.json', '{"scripts": {"x": "y"}}', 'has scripts; to convert them: cli init --from package.json'],
  ['package.json', '{"scripts": {}}', undefined],
  ['package.json', '{"scripts": ', undefined],
  ['package.json', '[]', undefined],
] as const) {
  test(`the hint for ${name} ${content}`, async (t) => {
    const here = await inProcess(t, ['list'], { cwd: temporaryDirectory(t, { [name]: content }) });
    assert.equal(here.stderr, `${NONE}${hint === undefined ? '' : `cli: ${name} ${hint}\n`}`);
    const above = await inProcess(t, ['list'], { cwd: subdirectory(t, { [name]: content }).cwd });
    assert.equal(above.stderr, `${NONE}${hint === undefined ? '' : `cli: ../../${name} ${hint} (in ../..)\n`}`);
  });
}

test('hints refer to the nearest directory with such files', async (t) => {
  const { cwd } = subdirectory(t, { justfile: '', 'a/Makefile': '' });
  const { stderr } = await inProcess(t, ['run', 'x'], { cwd });
  assert.equal(stderr, `${NONE}cli: ../Makefile can be converted: cli init --from Makefile (in ..)\n`);
});

const IS_ROOT = process.getuid?.() === 0;

test('without a repository, a parent directory of another user is not searched', { skip: !IS_ROOT }, async (t) => {
  const root = temporaryDirectory(t, { '.cli/workflow.json': FILE, 'a/b/x': '' });
  chownSync(join(root, 'a/b'), 1234, 1234);
  assert.equal((await inProcess(t, ['list'], { cwd: join(root, 'a') })).code, 0);
  const { code, stderr } = await inProcess(t, ['list'], { cwd: join(root, 'a/b') });
  assert.deepEqual([code, stderr.split('\n')[0]], [2, 'cli: no .cli/workflow.json here']);
});

test("another user's file in a parent directory is not used", { skip: !IS_ROOT }, async (t) => {
  const { root, cwd } = subdirectory(t, { '.cli/workflow.json': FILE });
  chownSync(join(root, '.cli'), 65_534, 65_534);
  const problem = '../../.cli/workflow.json belongs to another user; to use it, change to its directory';
  for (const words of [['run', 'where'], ['list'], ['validate'], ['run', 'where', '--dry-run']]) {
    const { code, stdout, stderr } = await inProcess(t, words, { cwd });
    assert.deepEqual([code, stdout, stderr], [2, '', `cli: ${problem}\n`]);
  }
  assert.equal((await inProcess(t, ['list'], { cwd: root })).stdout, 'where  1 step\n');
  // As in a repository that is mounted from elsewhere.
  chownSync(cwd, 65_534, 65_534);
  assert.equal((await inProcess(t, ['list'], { cwd })).stdout, 'where  1 step\n');
});
