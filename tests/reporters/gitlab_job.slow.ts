/*
 * The job of docs/ci.md, run by gitlab-ci-local, which reads a .gitlab-ci.yml like GitLab. The repository that it clones
 * contains the files of the package, which are built already.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { finish, temporaryDirectory, ROOT } from '../support/cli.ts';
import { parseMarkdown } from '../support/goldens/markdown.ts';
import { needs } from '../support/needs.ts';
import { TARBALL } from '../support/package.ts';

const RSYNC = needs('rsync');
/** The prefix of each line of the job's output. */
const JOB = 'release > ';

const RUNNER = join(ROOT, 'tools/gitlab/node_modules/.bin/gitlab-ci-local');

test('the GitLab job of docs/ci.md runs the workflow, in sections, and prints the document', RSYNC, async (t) => {
  const { blocks } = parseMarkdown(readFileSync(join(ROOT, 'docs/ci.md'), 'utf8'));
  const job = blocks.map(({ text }) => text).find((text) => text.startsWith('.cli:\n'));
  const cwd = temporaryDirectory(t, {
    '.gitlab-ci.yml': job,
    '.cli/workflow.json': { workflows: { release: { steps: [{ name: 'tag', run: 'echo "Tag $VERSION"' }] } } },
  });
  const setup = await finish(process.execPath, ['scripts/setup.mjs', 'tools/gitlab'], { cwd: ROOT });
  assert.equal(setup.code, 0, setup.stderr);
  const home = temporaryDirectory(t);
  // Keeps npm from printing warnings about unknown settings of this machine.
  const npm = { npm_config_offline: 'true', npm_config_loglevel: 'error', npm_config_prefix: home };
  const env = { HOME: home, PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`, ...npm };
  const done = async (directory: string, file: string, ...args: string[]): Promise<void> => {
    const { code, stderr } = await finish(file, args, { cwd: directory, env });
    assert.equal(code, 0, stderr);
  };
  const commit = async (directory: string): Promise<void> => {
    await done(directory, 'git', 'init', '--quiet');
    await done(directory, 'git', 'add', '--force', '.');
    const who = ['-c', 'user.name=x', '-c', 'user.email=x@localhost'];
    await done(directory, 'git', ...who, 'commit', '--quiet', '--message', 'x');
  };
  await done(home, 'npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', home, ROOT);
  await done(home, 'tar', '-xf', TARBALL);
  const repository = join(home, 'package');
  await done(repository, 'npm', 'pkg', 'set', 'scripts.build=true');
  await commit(repository);
  await commit(cwd);
  await done(cwd, 'git', 'remote', 'add', 'origin', 'git@gitlab.com:group/project.git');

  // Variables that GitLab sets. gitlab-ci-local sets GITLAB_CI to false.
  const values = ['CI_COMMIT_TAG=v1.2.3', 'GITLAB_CI=true', `CLI_REPOSITORY=file://${repository}`];
  const variables = values.flatMap((value) => ['--variable', value]);
  const { code, stdout, stderr } = await finish(RUNNER, ['--force-shell-executor', ...variables, 'release'], {
    cwd,
    env,
  });
  assert.equal(code, 0, stdout + stderr);
  assert.deepEqual(jobOutput(stdout), [
    '{"workflow":"release","steps":[{"name":"tag","command":"echo \\"Tag $VERSION\\"","exit_code":0}],"success":true}',
  ]);
  assert.deepEqual(
    jobOutput(stderr).map((line) =>
      line.replace(/:\d+:cli_\d+_/, ':<now>:cli_<pid>_').replace(/\d+ ms|\d+\.\d s/, '<time>'),
    ),
    [
      '\u001B[0Ksection_start:<now>:cli_<pid>_1\r\u001B[0K1/1 tag - release',
      'Tag v1.2.3',
      '',
      '\u001B[0Ksection_end:<now>:cli_<pid>_1\r\u001B[0K',
      'cli: ok tag <time>',
      '',
      'cli: ok release succeeded: 1 step ran, <time>',
    ],
  );
});

/** The output of the job, without the lines in which the runner reports every few seconds that it is still running. */
function jobOutput(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.startsWith(JOB) && line !== `${JOB}still running...`);
  return lines.map((line) => line.slice(JOB.length));
}
