/* Repositories from an archive: their settings name programs, and nothing of them runs while a revision is read. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { cli, temporaryDirectory, type CommandResult } from '../support/cli.ts';
import { LINUX } from '../support/processes/shell.ts';

type Repository = Readonly<{
  cwd: string;
  cli: (...words: readonly string[]) => Promise<CommandResult>;
  git: (...words: readonly string[]) => string;
  /** Each setting names a program that leaves a mark. Returns the settings whose program has run. */
  plant: (...settings: readonly string[]) => () => string[];
}>;

/** A repository with one commit and a filter for each of its files. */
function repository(t: TestContext): Repository {
  const cwd = temporaryDirectory(t, {
    '.cli/workflow.json': { workflows: { ci: { steps: ['true'] } } },
    '.gitattributes': '* filter=planted',
  });
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
  const git = (...words: readonly string[]): string =>
    execFileSync('git', [...identity, ...words], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  return {
    cwd,
    cli: (...words) => cli(words, { cwd }),
    git,
    plant: (...settings) => {
      for (const setting of settings) {
        const program = join(cwd, '.git', setting);
        writeFileSync(program, '#!/bin/sh\ntouch "$0.ran"; cat', { mode: 0o755 });
        git('config', setting, program);
      }
      return () => settings.filter((setting) => existsSync(join(cwd, '.git', `${setting}.ran`)));
    },
  };
}

const revisionIn = (cwd: string): unknown => JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8')).git;

test('the revision of a report is read without the programs that the repository names', LINUX, async (t) => {
  for (const settings of [
    ['core.fsmonitor', 'filter.planted.clean', 'core.pager', 'pager.status', 'diff.external', 'core.sshCommand'],
    ['filter.planted.process'],
    ['filter.PLANTED.process', 'filter.planted.clean'],
  ]) {
    const { cwd, cli, git, plant } = repository(t);
    const ran = plant(...settings);
    git('config', 'filter.planted.required', 'true');
    utimesSync(join(cwd, '.gitattributes'), 0, 0);
    assert.equal((await cli('run', 'ci', '--quiet', '--report', 'r.json')).code, 0);
    assert.deepEqual(ran(), []);
    assert.deepEqual(revisionIn(cwd), { revision: git('rev-parse', 'HEAD'), dirty: false });
  }
});

test('a filter whose name has a sign that git cannot be given leaves the revision out', LINUX, async (t) => {
  const { cwd, cli, plant } = repository(t);
  writeFileSync(join(cwd, '.gitattributes'), '* filter=a=b');
  const ran = plant('filter.a=b.clean');
  assert.equal((await cli('run', 'ci', '--quiet', '--report', 'r.json')).code, 0);
  assert.deepEqual([ran(), revisionIn(cwd)], [[], null]);
});

test('a filter of the user applies to the files of a report', LINUX, async (t) => {
  const { cwd, git } = repository(t);
  const settings = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'filter.planted.clean',
    GIT_CONFIG_VALUE_0: 'tr a-z A-Z',
  };
  const report = async (env: Readonly<Record<string, string>>): Promise<unknown> => {
    assert.equal((await cli(['run', 'ci', '--quiet', '--report', 'r.json'], { cwd, env })).code, 0);
    return revisionIn(cwd);
  };
  utimesSync(join(cwd, '.gitattributes'), 0, 0);
  const revision = git('rev-parse', 'HEAD');
  assert.deepEqual(await report({}), { revision, dirty: false });
  assert.deepEqual(await report(settings), { revision, dirty: true });
});

test('the settings of a submodule run nothing', LINUX, async (t) => {
  const { cwd, cli, git } = repository(t);
  const inner = join(cwd, 'inner');
  execFileSync('git', ['clone', '--quiet', cwd, inner]);
  git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD')},inner`);
  git('commit', '--quiet', '--message', 'second');
  const mark = join(cwd, 'ran');
  for (const setting of ['core.fsmonitor', 'filter.planted.clean'])
    execFileSync('git', ['-C', inner, 'config', setting, `touch '${mark}'; cat`]);
  utimesSync(join(inner, '.gitattributes'), 0, 0);
  assert.equal((await cli('run', 'ci', '--quiet', '--report', 'r.json')).code, 0);
  assert.equal(existsSync(mark), false);
});

test('a signed commit in place of the workflow file of a revision is no file', LINUX, async (t) => {
  const { cwd, cli, git, plant } = repository(t);
  const commit = join(cwd, '.git/signed');
  const [tree = '', ...rest] = git('cat-file', 'commit', 'HEAD').split('\n\n');
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----';
  writeFileSync(commit, `${[`${tree}\n${signature}`, ...rest].join('\n\n')}\n`);
  const signed = git('hash-object', '-w', '-t', 'commit', commit);
  git('rm', '--quiet', '--cached', '.cli/workflow.json');
  git('update-index', '--add', '--cacheinfo', `160000,${signed},.cli/workflow.json`);
  git('commit', '--quiet', '--message', 'second');
  git('config', 'log.showSignature', 'true');
  const ran = plant('gpg.program');
  const { code, stdout, stderr } = await cli('diff');
  assert.deepEqual([ran(), code, stdout], [[], 2, '']);
  assert.match(stderr, /^cli: cannot read HEAD:\.cli\/workflow\.json: .*bad file\n$/);
});

test('an object that the repository lacks is not fetched', LINUX, async (t) => {
  const { cwd, cli, git, plant } = repository(t);
  const blob = git('rev-parse', 'HEAD:.cli/workflow.json');
  rmSync(join(cwd, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  const mark = join(cwd, 'ran');
  const ran = plant('core.sshCommand', 'remote.origin.uploadpack');
  const settings = [
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.promisor', 'true'],
    ['protocol.allow', 'always'],
  ] as const;
  for (const url of [`ext::touch ${mark}`, 'ssh://127.0.0.1/x', cwd]) {
    for (const [name, value] of [...settings, ['remote.origin.url', url] as const]) git('config', name, value);
    const { code, stderr } = await cli('diff');
    assert.deepEqual([ran(), existsSync(mark), code], [[], false, 2], url);
    assert.ok(stderr.startsWith('cli: cannot read HEAD:.cli/workflow.json: '), stderr);
  }
});

test('a repository that never answers is left out of a report, and is no revision', LINUX, async (t) => {
  const { cwd, cli } = repository(t);
  rmSync(join(cwd, '.git/HEAD'));
  execFileSync('mkfifo', [join(cwd, '.git/HEAD')]);
  const [run, diff] = await Promise.all([cli('run', 'ci', '--quiet', '--report', 'r.json'), cli('diff')]);
  assert.deepEqual([run.code, revisionIn(cwd)], [0, null]);
  const stderr = "cli: 'HEAD' is neither a file nor a revision: git did not end within 10 s\n";
  assert.deepEqual(diff, { code: 2, signal: null, stdout: '', stderr });
});
