import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory, workflowDirectory, type CommandResult } from '../support/cli.ts';
import { refused } from '../support/project.ts';
import { query } from '../support/remote/database.ts';
import { createRepository, git } from '../support/remote/repository.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, startClient, startWorker } from '../support/remote/workers.ts';
import { until } from '../support/until.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();
const FILE = { workflows: { main: { steps: ['true'] } } };
const NOWHERE = ['run', 'main', '--on', 'postgres://ci@127.0.0.1:1/ci', '--checkout'];

const checkoutsIn = (clone: string): readonly string[] =>
  readdirSync(join(clone, '.cli/checkouts'))
    .filter((name) => name !== '.gitignore')
    .toSorted();

async function refuses(cwd: string, problem: string): Promise<void> {
  assert.deepEqual(await remoteCli(NOWHERE, cwd), refused(`'--checkout' ${problem}`));
}

test('--checkout requires a pushed commit and a clean working tree', LIMITED, async (t) => {
  const bare = workflowDirectory(t, FILE);
  await refuses(bare, 'needs a git repository, and the current directory is in none');
  git(bare, 'init', '--quiet', '--initial-branch=main');
  await refuses(bare, 'needs a commit, and the repository has none');
  const { cwd, commit } = createRepository(t, FILE);
  const first = git(cwd, 'rev-parse', 'HEAD');
  const advice = 'commit and push, or git stash --include-untracked';
  writeFileSync(join(cwd, 'README'), 'second\n');
  await refuses(cwd, `runs a commit, and 1 file differs from it: ${advice}`);
  writeFileSync(join(cwd, 'new'), '');
  await refuses(cwd, `runs a commit, and 2 files differ from it: ${advice}`);
  const second = commit('new', 'new\n');
  await refuses(cwd, `runs a pushed commit, and origin/main lacks ${second.slice(0, 10)}: git push`);
  git(cwd, 'switch', '--quiet', '--detach', first);
  await refuses(cwd, 'needs a branch with an upstream: git switch BRANCH');
  git(cwd, 'switch', '--quiet', '--create', 'other');
  await refuses(cwd, 'needs a branch with an upstream: git push --set-upstream origin other');
});

test('a pushed commit is checked out for its run, and removed after success', LIMITED, async (t) => {
  const { cwd, clone, commit } = createRepository(t, FILE);
  const directory = clone();
  const steps = ['git rev-parse HEAD; pwd', 'git -C "$HOME_OF_WORKER" status --short; cat ../README'];
  commit('sub/.cli/workflow.json', JSON.stringify({ workflows: { main: { steps } } }));
  const pushed = commit('README', 'second\n');
  git(cwd, 'push', '--quiet');
  await startWorker(t, server(), directory, { env: { HOME_OF_WORKER: directory } });
  const line = ['run', 'main', '--on', server().url, '--checkout', '--id', 'clean', '-q'];
  const { code, stderr } = await remoteCli(line, join(cwd, 'sub'));
  const path = join(realpathSync(directory), '.cli/checkouts/clean/sub');
  assert.deepEqual({ code, stderr }, { code: 0, stderr: `cli: run clean is queued\n${pushed}\n${path}\nsecond\n` });
  assert.deepEqual(checkoutsIn(directory), []);
  assert.deepEqual(git(directory, 'worktree', 'list').split('\n').length, 1);
  const again = await remoteCli(line, join(cwd, 'sub'));
  assert.deepEqual(again.stderr.split('\n')[0], 'cli: run clean exists already; it is not started again');
  commit('README', 'third\n');
  git(cwd, 'push', '--quiet');
  const others = [line, line.filter((word) => word !== '--checkout')];
  for (const other of others) {
    const problem = 'run clean exists already, with another commit';
    assert.deepEqual(await remoteCli(other, join(cwd, 'sub')), refused(problem));
  }
});

test(
  'the records of steps lie in the directory of the worker, a checkout has none, and the database has the decision',
  LIMITED,
  async (t) => {
    const step = { name: 'copy', run: 'cat README >copy', sources: ['README'], generates: ['copy'] };
    const { cwd, clone } = createRepository(t, { workflows: { main: { steps: [step] } } });
    const directory = clone();
    await startWorker(t, server(), directory);
    const run = async (id: string, ...flags: readonly string[]): Promise<string> =>
      (await remoteCli(['run', 'main', '--on', server().url, '--id', id, ...flags], cwd)).stderr;
    const runs = "cli: step 'copy' of workflow 'main' is not up to date: no record";
    const skips = "cli: skipped step 'copy' of workflow 'main': up to date";
    const lines: string[] = [];
    for (const text of [await run('runs'), await run('skips'), await run('checkout', '--checkout')])
      lines.push(...text.split('\n').filter((line) => line === runs || line === skips));
    assert.deepEqual(lines, [runs, skips, runs]);
    assert.deepEqual([existsSync(join(directory, '.cli/state')), existsSync(join(cwd, '.cli/state'))], [true, false]);
    const decisions = await query(
      server().url,
      "SELECT each::text AS text FROM workflow_plan.operation_outputs AS each WHERE each.workflow_uuid = 'skips'",
    );
    assert.match(
      decisions.map(({ text }) => String(text)).join('\n'),
      /""kind"":""decide"",.*""stale""\],""holds"":false,/,
    );
  },
);

test('in a checkout, PWD is the directory of the run, also in values', LIMITED, async (t) => {
  const { cwd, clone, commit } = createRepository(t, FILE);
  const steps = ['echo "$BIN $PWD"', { run: 'pwd -P', dir: '${vars.PWD}' }];
  const main = { env: { BIN: '${vars.PWD}/bin' }, steps };
  commit('sub/.cli/workflow.json', JSON.stringify({ workflows: { main } }));
  git(cwd, 'push', '--quiet');
  const directory = realpathSync(clone());
  await startWorker(t, server(), directory, { env: { PWD: directory } });
  const line = ['run', 'main', '--on', server().url, '--checkout', '--id', 'pwd', '-q'];
  const { code, stderr } = await remoteCli(line, join(cwd, 'sub'));
  const path = join(directory, '.cli/checkouts/pwd/sub');
  assert.deepEqual({ code, stderr }, { code: 0, stderr: `cli: run pwd is queued\n${path}/bin ${path}\n${path}\n` });
});

test('the checkout of a failed run is kept', LIMITED, async (t) => {
  const steps = ['echo built > artifact; exit 3'];
  const { cwd, clone } = createRepository(t, { workflows: { main: { steps } } });
  const directory = clone();
  await startWorker(t, server(), directory);
  const { code } = await remoteCli(['run', 'main', '--on', server().url, '--checkout', '--id', 'failed', '-q'], cwd);
  assert.equal(code, 1);
  assert.deepEqual(checkoutsIn(directory), ['.failed', 'failed']);
  assert.equal(readFileSync(join(directory, '.cli/checkouts/failed/artifact'), 'utf8'), 'built\n');
  assert.equal(git(directory, 'status', '--short'), '');
});

test('a worker neither uses nor removes a working tree that no worker has made for the run', LIMITED, async (t) => {
  const { cwd, clone } = createRepository(t, FILE);
  const directory = clone();
  const others = ['.cli/checkouts/mine', 'feature'].map((path) => join(realpathSync(directory), path));
  for (const path of others) {
    git(directory, 'worktree', 'add', '--quiet', '--detach', path);
    writeFileSync(join(path, 'README'), 'unsaved\n');
  }
  const submit = (id: string, ...flags: readonly string[]): Promise<CommandResult> =>
    remoteCli(['run', 'main', '--on', server().url, '--checkout', '--id', id, ...flags], cwd);
  assert.deepEqual(
    await remoteCli([...NOWHERE, '--id', '..'], cwd),
    refused("flag '--id' takes up to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit"),
  );
  await submit('forged', '--detach');
  const forged = '../../feature';
  for (const table of ['workflow_status', 'workflow_input']) {
    const forge = `UPDATE workflow_plan.${table} SET workflow_uuid = $1 WHERE workflow_uuid = 'forged'`;
    await query(server().url, forge, [forged]);
  }
  await startWorker(t, server(), directory, { flags: ['--own-plans'] });
  const { code, stderr } = await submit('mine');
  const short = git(cwd, 'rev-parse', 'HEAD').slice(0, 10);
  const problem = `${others[0]} exists and was not made for this run: move it away`;
  assert.deepEqual(
    { code, stderr },
    { code: 2, stderr: `cli: run mine is queued\ncli: cannot check out ${short}: ${problem}\n` },
  );
  const status = 'SELECT status FROM workflow_plan.workflow_status WHERE workflow_uuid = $1';
  await until(
    async () => (await query(server().url, status, [forged]))[0]?.['status'] === 'ERROR',
    () => 'the forged run is broken',
  );
  const listed = await remoteCli(['runs', 'list', '--on', server().url], cwd);
  assert.ok(/^mine /m.test(listed.stdout) && !listed.stdout.includes('feature'), listed.stdout);
  for (const path of others) assert.equal(readFileSync(join(path, 'README'), 'utf8'), 'unsaved\n');
});

test('a checkout that was changed after its run has failed stays after the resume', LIMITED, async (t) => {
  const steps = ['echo built > artifact', 'test -e "$SIGNS/go"'];
  const { cwd, clone } = createRepository(t, { workflows: { main: { steps } } });
  const [directory, signs] = [clone(), temporaryDirectory(t)];
  await startWorker(t, server(), directory, { env: { SIGNS: signs } });
  const path = (id: string): string => join(realpathSync(directory), '.cli/checkouts', id);
  for (const id of ['edited', 'same']) {
    const line = ['run', 'main', '--on', server().url, '--checkout', '--id', id, '-q'];
    assert.equal((await remoteCli(line, cwd)).code, 1);
  }
  writeFileSync(join(path('edited'), 'artifact'), 'by hand\n');
  writeFileSync(join(signs, 'go'), '');
  const resume = async (id: string): Promise<string> => {
    const { code, stderr } = await remoteCli(['runs', 'resume', id, '--on', server().url], cwd);
    assert.equal(code, 0);
    return stderr.split('\n').at(-2) ?? '';
  };
  const advice = `to remove it: git worktree remove --force ${path('edited')}`;
  assert.equal(
    await resume('edited'),
    `cli: warning: ${path('edited')} stays: it was changed between two sessions of the run; ${advice}`,
  );
  await resume('same');
  assert.deepEqual(checkoutsIn(directory), ['.edited', 'edited']);
  assert.equal(readFileSync(join(path('edited'), 'artifact'), 'utf8'), 'by hand\n');
});

test('if the commit is unavailable, the run fails before its first step', LIMITED, async (t) => {
  const { cwd } = createRepository(t, FILE);
  const short = git(cwd, 'rev-parse', 'HEAD').slice(0, 10);
  const fails = async (tag: string, directory: string, reason: string): Promise<void> => {
    await startWorker(t, server(), directory, { flags: ['--tag', tag] });
    const line = ['workflow', 'run', 'main', '--on', server().url, '--checkout', '--tag', tag, '--id', tag];
    assert.deepEqual(await remoteCli(line, cwd), {
      code: 2,
      signal: null,
      stdout: '',
      stderr: `cli: run ${tag} is queued for a worker with the tag '${tag}'\ncli: cannot check out ${short}: ${reason}\n`,
    });
    const shown = await remoteCli(['runs', 'show', tag, '--on', server().url], cwd);
    assert.match(shown.stdout, /"state":"failed"/);
  };
  const nowhere = temporaryDirectory(t);
  const home = realpathSync(nowhere);
  await fails('none', nowhere, `the directory of the worker is in no git repository: ${home}`);
  const other = createRepository(t, { workflows: {} }).clone();
  await fails('other', other, "git fetch does not bring it to the worker's repository");
  git(other, 'remote', 'set-url', 'origin', join(home, 'lost'));
  await fails('lost', other, `git fetch: '${join(home, 'lost')}' does not appear to be a git repository`);
});

test('a run that is taken over uses its checkout, or a new one if it is missing', LIMITED, async (t) => {
  const held = 'touch "$SIGNS/held"; until [ -e "$SIGNS/go" ]; do sleep 0.1; done; ls';
  const { cwd, clone } = createRepository(t, { workflows: { main: { steps: ['touch made', held] } } });
  const check = async (place: string, one: string, other: string, files: readonly string[]): Promise<void> => {
    const signs = temporaryDirectory(t);
    const settings = { env: { SIGNS: signs }, flags: ['--tag', place] };
    const first = await startWorker(t, server(), one, settings);
    const line = ['run', 'main', '--on', server().url, '--checkout', '--tag', place, '--id', place, '-q'];
    const client = startClient(line, cwd);
    await until(
      () => existsSync(join(signs, 'held')),
      () => `the step runs: ${client.stderr()}`,
    );
    await startWorker(t, server(), other, settings);
    first.child.kill('SIGKILL');
    await client.says('going on after 1 recorded results');
    writeFileSync(join(signs, 'go'), '');
    const { code, stderr } = await client.ended;
    assert.deepEqual([code, stderr.split('\n').slice(2, -1)], [0, files]);
    assert.deepEqual(checkoutsIn(other), []);
  };
  const here = clone();
  await Promise.all([check('here', here, here, ['README', 'made']), check('elsewhere', clone(), clone(), ['README'])]);
});
