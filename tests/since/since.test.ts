import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { cliWithAnnouncements, finish, temporaryDirectory, type CommandResult } from '../support/cli.ts';
import { quickCli } from '../support/in_process.ts';
import { git } from '../support/remote/repository.ts';

const ran = (name: string, more: object = {}): object => ({ name, run: `echo ${name} >>"$RAN"`, ...more });

const STEPS = [
  ran('a', { sources: ['packages/a/**'] }),
  ran('b', { sources: ['packages/b/**', '!packages/b/doc/**'] }),
  ran('linked', { sources: ['link/**'] }),
  ran('make', { sources: ['schema/*.txt'], generates: ['out/*.txt'] }),
  ran('use', { sources: ['out/*.txt'] }),
  { name: 'version', run: 'echo version >>"$RAN"; echo 7', sources: ['VERSION'], outputs: { V: 'text' } },
  { name: 'tag', run: 'echo "tag ${steps.version.V}" >>"$RAN"', sources: ['packages/c/**'] },
  ran('always'),
];

type Repository = Readonly<{
  cwd: string;
  write: (path: string, text?: string) => void;
  commit: () => void;
  /** Runs `ci` since `main`, with more words. `ran` lists the steps. */
  run: (...words: readonly string[]) => Promise<CommandResult & { readonly ran: readonly string[] }>;
}>;

/** A repository on a branch of `main`, with a file in each package. */
function repository(t: TestContext, steps: readonly object[] = STEPS, more: object = {}): Repository {
  const cwd = temporaryDirectory(t, { '.cli/workflow.json': { ...more, workflows: { ci: { steps } } } });
  const write = (path: string, text = path): void => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  };
  const commit = (): void => {
    git(cwd, 'add', '--all');
    git(cwd, 'commit', '--quiet', '--message', 'x');
  };
  for (const path of ['packages/a/x', 'packages/b/x', 'packages/b/doc/x', 'packages/c/x', 'shared/x', 'VERSION'])
    write(path);
  for (const path of ['schema/s.txt', 'packages/a/ü.txt', 'packages/b/"q".txt']) write(path);
  write('.gitignore', 'ignored\n.cli/runs\n');
  symlinkSync('shared', join(cwd, 'link'));
  git(cwd, 'init', '--quiet', '--initial-branch=main');
  commit();
  git(cwd, 'checkout', '--quiet', '-b', 'topic');
  const RAN = join(temporaryDirectory(t), 'ran');
  const run: Repository['run'] = async (...words) => {
    rmSync(RAN, { force: true });
    const ended = await quickCli(['run', 'ci', '--since', 'main', ...words], {
      cwd,
      env: { RAN, CLI_NO_JOURNAL: undefined },
    });
    return { ...ended, ran: existsSync(RAN) ? readFileSync(RAN, 'utf8').trim().split('\n') : [] };
  };
  return { cwd, write, commit, run };
}

/** Changes of a repository, and the steps that run because of them. */
const CHANGES: readonly (readonly [string, (given: Repository) => void, readonly string[]])[] = [
  ['nothing', () => undefined, []],
  ['a commit', ({ write, commit }) => [write('packages/a/x', 'y'), commit()], ['a']],
  ['a staged change', ({ cwd, write }) => [write('packages/a/x', 'y'), git(cwd, 'add', '.')], ['a']],
  ['a change', ({ write }) => write('packages/a/ü.txt', 'y'), ['a']],
  ['an untracked file', ({ write }) => write('packages/b/new/"ä"\n'), ['b']],
  ['an ignored file', ({ write }) => write('packages/a/ignored'), []],
  ['an excluded file', ({ write }) => write('packages/b/doc/y'), []],
  ['a deletion', ({ cwd }) => rmSync(join(cwd, 'packages/b/"q".txt')), ['b']],
  [
    'a rename',
    ({ cwd, commit }) => [renameSync(join(cwd, 'packages/a/x'), join(cwd, 'packages/b/y')), commit()],
    ['a', 'b'],
  ],
  ['a new mode', ({ cwd }) => chmodSync(join(cwd, 'packages/a/x'), 0o755), ['a']],
  [
    'a commit that was taken back',
    ({ write, commit }) => [write('packages/a/x', 'y'), commit(), write('packages/a/x')],
    [],
  ],
  ['a file behind a link', ({ write }) => write('shared/x', 'y'), ['linked']],
  ['a source of a generated file', ({ write }) => write('schema/s.txt', 'y'), ['make', 'use']],
  ['a user of an output', ({ write }) => write('packages/c/x', 'y'), ['version', 'tag 7']],
  [
    'a detached head',
    ({ cwd, write, commit }) => [git(cwd, 'checkout', '--quiet', '--detach'), write('packages/a/x', 'y'), commit()],
    ['a'],
  ],
  [
    'a later commit of main',
    ({ cwd, write, commit }) => [
      git(cwd, 'checkout', '--quiet', 'main'),
      write('packages/a/x', 'y'),
      commit(),
      git(cwd, 'checkout', '--quiet', 'topic'),
      write('packages/b/x', 'y'),
    ],
    ['b'],
  ],
  ['another repository', ({ cwd }) => git(cwd, 'init', '--quiet', 'packages/a/inner'), ['a']],
  ['another repository whose files may match', ({ cwd }) => git(cwd, 'init', '--quiet', 'out'), ['use']],
];

for (const [title, change, steps] of CHANGES) {
  test(`--since with ${title} runs ${['the steps without sources', ...steps].join(', ')}`, async (t) => {
    const given = repository(t);
    change(given);
    const { code, stderr, ran: found } = await given.run();
    assert.deepEqual([code, found], [0, [...steps, 'always']], stderr);
  });
}

test('--since runs a step whose command, options or variables have changed in the file or in an included one', async (t) => {
  const given = repository(t, [{ workflow: 'lib:x' }, ran('b', { sources: ['VERSION'] })], {
    include: { lib: 'lib.json' },
  });
  const library = (more: object): void =>
    given.write(
      '.cli/lib.json',
      JSON.stringify({ workflows: { x: { steps: [ran('in', { sources: ['VERSION'], ...more })] } } }),
    );
  library({});
  git(given.cwd, 'checkout', '--quiet', 'main');
  given.commit();
  git(given.cwd, 'checkout', '--quiet', '-B', 'topic');
  assert.deepEqual((await given.run()).ran, []);
  library({ timeout: '1m' });
  assert.deepEqual((await given.run()).ran, ['in']);
  library({ with: { V: '1' } });
  assert.deepEqual((await given.run()).ran, ['in']);
  rmSync(join(given.cwd, '.cli/lib.json'));
  git(given.cwd, 'rm', '--quiet', '--cached', '.cli/lib.json');
  given.commit();
  git(given.cwd, 'branch', '--quiet', '--force', 'main');
  library({});
  const { ran: found, stderr } = await given.run();
  assert.deepEqual(found, ['in', 'b']);
  assert.match(
    stderr,
    /^cli: cannot compare with [0-9a-f]{12}:\.cli\/workflow\.json: .*; every step counts as changed$/m,
  );
});

test('--since names skipped steps, shows its decisions in a dry run, and starts at most five processes of Git', async (t) => {
  const given = repository(t);
  given.write('packages/a/x', 'y');
  const bin = temporaryDirectory(t);
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >>"${bin}/calls"\nPATH=$REAL exec git "$@"\n`, { mode: 0o755 });
  const env = { REAL: process.env['PATH'], PATH: `${bin}${delimiter}${process.env['PATH']}` };
  const text = await cliWithAnnouncements(['run', 'ci', '--since', 'main', '-n'], { cwd: given.cwd, env });
  assert.match(text.stdout, /^ *- a {2}\(runs: packages\/a\/x changed\)/m);
  assert.match(text.stdout, /^ *- b {2}\(not touched since main\)/m);
  assert.equal(readFileSync(join(bin, 'calls'), 'utf8').trim().split('\n').length, 5);
  const { stdout } = await quickCli(['workflow', 'run', 'ci', '--since', 'main', '-n'], { cwd: given.cwd });
  const [first, second] = JSON.parse(stdout).steps;
  assert.deepEqual(first.since, { revision: 'main', runs: true, reason: 'packages/a/x changed' });
  assert.deepEqual(second.since, { revision: 'main', runs: false, reason: null });
  const { stderr } = await cliWithAnnouncements(['run', 'ci', '--since', 'main'], {
    cwd: given.cwd,
    env: { RAN: '/dev/null' },
  });
  assert.match(stderr, /^cli: skipped step 'b' of workflow 'ci': not touched since main$/m);
});

test('a resume keeps the decisions of --since, and the states of steps that ran are written', async (t) => {
  const given = repository(t, [
    ran('a', { sources: ['packages/a/**'] }),
    ran('b', { run: 'echo b >>"$RAN"; test -e fixed', sources: ['packages/b/x'] }),
    ran('c', { sources: ['packages/c/**'] }),
  ]);
  given.write('packages/b/x', 'y');
  const { cwd } = given;
  assert.deepEqual((await given.run()).ran, ['b']);
  for (const path of ['packages/a/x', 'packages/c/x', 'fixed']) given.write(path, 'z');
  const RAN = join(cwd, 'ran');
  const { code, stderr } = await quickCli(['resume', '--last'], { cwd, env: { RAN, CLI_NO_JOURNAL: undefined } });
  assert.deepEqual([code, readFileSync(RAN, 'utf8')], [0, 'b\n'], stderr);
  const again = await quickCli(['status', 'ci'], { cwd, env: { RAN: join(dirname(RAN), 'ran') } });
  assert.match(again.stdout, /step 'b' of workflow 'ci': /);
});

test('--since works in a work tree, from a subdirectory, and with --only', async (t) => {
  const given = repository(t);
  const tree = join(temporaryDirectory(t), 'tree');
  git(given.cwd, 'worktree', 'add', '--quiet', tree, '-b', 'other');
  writeFileSync(join(tree, 'packages/a/x'), 'y');
  const run = async (...words: readonly string[]): Promise<string> =>
    (await quickCli(['run', 'ci', '--since', 'main', '-n', ...words], { cwd: join(tree, 'packages/b') })).stdout;
  assert.match(await run(), /- a {2}\(runs: packages\/a\/x changed\)\s/);
  assert.match(await run('--only', 'b'), /- a {2}\(left out\).*\n.*- b {2}\(not touched since main\)/);
});

test('--since does not look into submodules: steps with sources in one run, and so do those of a new commit', async (t) => {
  const library = temporaryDirectory(t, { file: 'x' });
  git(library, 'init', '--quiet', '--initial-branch=main');
  git(library, 'add', '.');
  git(library, 'commit', '--quiet', '--message', 'x');
  const given = repository(t, [ran('a', { sources: ['packages/a/**'] }), ran('lib', { sources: ['lib/*.c'] })]);
  const { cwd } = given;
  git(cwd, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib');
  given.commit();
  git(cwd, 'branch', '--force', 'main');
  assert.deepEqual((await given.run()).ran, ['lib']);
  git(cwd, 'submodule', '--quiet', 'deinit', '--all', '--force');
  assert.deepEqual((await given.run()).ran, []);
});

async function fails(cwd: string, revision: string, ...lines: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await quickCli(['run', 'ci', '--since', revision], { cwd, env: { RAN: 'x' } });
  const expected = lines.map((line) => `cli: ${line}\n`).join('');
  assert.deepEqual([code, stdout, stderr.replace(/\(fatal.*\)/, '(…)')], [2, '', expected]);
}

test('--since without what it needs is an error with the command that mends it', async (t) => {
  const { cwd, commit, write } = repository(t);
  write('packages/a/x', 'y');
  commit();
  const gone = "--since: there is no revision 'origin/next' here";
  await fails(cwd, 'origin/next', gone, 'to fetch it: git fetch origin +next:refs/remotes/origin/next');
  await fails(cwd, 'v9', "--since: there is no revision 'v9' here", 'to fetch it: git fetch --tags origin');
  git(cwd, 'checkout', '--quiet', '--orphan', 'alone');
  commit();
  await fails(
    cwd,
    'main',
    "--since: the histories of HEAD and 'main' have no commit in common",
    'to list the commits of HEAD: git log --oneline',
  );
  git(cwd, 'checkout', '--quiet', 'topic');
  const shallow = join(temporaryDirectory(t), 'clone');
  git(cwd, 'clone', '--quiet', '--depth', '1', '--no-single-branch', `file://${cwd}`, shallow);
  await fails(
    shallow,
    'origin/main',
    "--since: this clone is shallow, and lacks the commit that HEAD and 'origin/main' have in common",
    'to fetch it: git fetch --unshallow',
  );
  git(shallow, 'fetch', '--quiet', '--unshallow');
  assert.equal((await quickCli(['run', 'ci', '--since', 'origin/main', '-n'], { cwd: shallow })).code, 0);
  const none = temporaryDirectory(t, { '.cli/workflow.json': { workflows: { ci: { steps: STEPS } } } });
  await fails(none, 'main', '--since needs the work tree of a Git repository (…)', 'to make one: git init');
  for (const flag of ['--force', '--watch=x', '--assume=a=ok']) {
    const { code, stderr } = await quickCli(['run', 'ci', '--since', 'main', flag], { cwd });
    assert.deepEqual([code, stderr], [2, `cli: '--since' cannot be used with '${flag.replace(/=.*/, '')}'\n`]);
  }
});

test('a script that was exported with --since leaves out the steps that nothing touched, and names the revision', async (t) => {
  const { cwd, write } = repository(t);
  write('packages/a/x', 'y');
  const { stdout, stderr } = await quickCli(['export', 'ci', '--since', 'main'], { cwd });
  assert.match(
    stdout,
    /^# Runs those of the steps with sources that were touched since main when it was exported\.$/m,
    stderr,
  );
  write('script.sh', stdout);
  const RAN = join(cwd, 'ran');
  const { code } = await finish('bash', ['script.sh'], { cwd, env: { PATH: process.env['PATH'], RAN } });
  assert.deepEqual([code, readFileSync(RAN, 'utf8')], [0, 'a\nalways\n']);
});
