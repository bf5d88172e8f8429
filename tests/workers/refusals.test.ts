import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { IS_STANDALONE, temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { quickCliWithAnnouncements as cliWithAnnouncements } from '../support/in_process.ts';
import { done, refused } from '../support/project.ts';
import { databaseUrl } from '../support/remote/database.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { ENGINE, needsPostgres, remoteCli, startWorker } from '../support/remote/workers.ts';
import { call } from '../support/workflow.ts';
import { VERSION } from '../../src/base/version.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();
const FILE = { workflows: { main: { steps: ['true'] } } };
const ELSEWHERE = ['--on', 'postgres://ci:hunter2@127.0.0.1:1/ci'];

const ABSENT = IS_STANDALONE
  ? "'--on' works with the npm package only"
  : "'--on' needs the package workflow-plan-postgres: see docs/scaling.md";

function secretProblem(name: string): string {
  return `'${name}' looks like a secret and would be stored in the database; set it in the worker's environment`;
}

test('a missing package for databases is an error', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const absent = await cliWithAnnouncements(['run', 'main', ...ELSEWHERE], { cwd, env: { CLI_ENGINE: cwd } });
  assert.deepEqual(absent, refused(ABSENT));
});

const LOADS = IS_STANDALONE ? { skip: 'the executable has no workers' } : {};

test('another version of the package for databases is an error', LOADS, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const old = "exports.engine = { version: '0.0.9', submit() {}, work() {} };";
  const env = { CLI_ENGINE: temporaryDirectory(t, { 'dist/index.cjs': old }) };
  const other = await cliWithAnnouncements(['run', 'main', ...ELSEWHERE], { cwd, env });
  assert.deepEqual(other, refused(`workflow-plan-postgres 0.0.9 does not fit workflow-plan ${VERSION}`));
});

test('an unreachable database is an error, in which the password is masked', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  assert.deepEqual(
    await remoteCli(['run', 'main', ...ELSEWHERE], cwd),
    refused('cannot reach the database postgres://ci:***@127.0.0.1:1/ci: connect ECONNREFUSED 127.0.0.1:1'),
  );
});

test('a client requires the schema created by a worker', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  assert.deepEqual(
    await remoteCli(['run', 'main', '--on', databaseUrl(server().url, 'template1')], cwd),
    refused('the database lacks the schema; start a worker once as its owner'),
  );
});

test('secrets are rejected before anything is sent', LIMITED, async (t) => {
  const steps = ['echo "$API_TOKEN $DB_PASSWORD $KEEP_SECRET $EMPTY_TOKEN"'];
  const env = { DB_PASSWORD: 'hunter2', EMPTY_TOKEN: '', KEEP_SECRET: '${vars.OTHER_SECRET}' };
  const cwd = workflowDirectory(t, { env, workflows: { main: { steps } } });
  assert.deepEqual(
    await remoteCli(['run', 'main', 'API_TOKEN:abc', ...ELSEWHERE], cwd),
    refused(secretProblem('API_TOKEN'), secretProblem('DB_PASSWORD')),
  );
});

test('the lock of a plan is the only one of its run, and has a value before the run is sent', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, {
    workflows: {
      one: { lock: 'deploy', steps: ['true'] },
      two: { lock: 'db', steps: ['true'] },
      both: { steps: [call('one'), call('two')] },
      open: { lock: '${vars.STAGE}', steps: ['true'] },
    },
  });
  const run = (...line: readonly string[]): Promise<unknown> => remoteCli(['run', ...line, ...ELSEWHERE], cwd);
  assert.deepEqual(
    await run('one', '--lock', 'k'),
    refused("'--lock' is another lock than 'deploy', that of workflow 'one'"),
  );
  assert.deepEqual(
    await run('both'),
    refused("with '--on', a run holds one lock, and workflow 'both' has several: db, deploy"),
  );
  assert.deepEqual(
    await run('open'),
    refused("with '--on', only the file or a parameter can set the variable of a lock: STAGE"),
  );
});

test('the package is never loaded from the current directory', async (t) => {
  const hostile = "throw new Error('loaded');";
  const cwd = temporaryDirectory(t, {
    '.cli/workflow.json': FILE,
    'node_modules/workflow-plan-postgres/dist/index.cjs': hostile,
    'dist/index.cjs': hostile,
  });
  for (const line of [
    ['run', 'main', ...ELSEWHERE],
    ['worker', ...ELSEWHERE],
    ['runs', 'list', ...ELSEWHERE],
  ]) {
    assert.deepEqual(await cliWithAnnouncements(line, { cwd, env: { CLI_ENGINE: undefined } }), refused(ABSENT));
  }
});

test('a plan of more than 16 MiB is rejected', LIMITED, async (t) => {
  const large = { private: true, steps: [`: ${'x'.repeat(9 * 2 ** 20)}`] };
  const steps = [{ workflow: 'large' }, { workflow: 'large' }];
  const cwd = workflowDirectory(t, { workflows: { main: { steps }, large } });
  assert.deepEqual(
    await remoteCli(['run', 'main', ...ELSEWHERE], cwd),
    refused('the plan is larger than 16 MiB, the limit for a database'),
  );
});

test('a dry run is local, even with --on', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const env = { CLI_ENGINE: cwd };
  const local = await cliWithAnnouncements(['workflow', 'run', 'main', '--dry-run'], { cwd, env });
  assert.equal(local.code, 0);
  const line = ['workflow', 'run', 'main', '--dry-run', ...ELSEWHERE, '--tag', 'mac', '--checkout'];
  assert.deepEqual(await cliWithAnnouncements(line, { cwd, env }), local);
});

test('only worker and runs use CLI_ON', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const env = { CLI_ENGINE: cwd, CLI_ON: ELSEWHERE[1] };
  const local = await cliWithAnnouncements(['workflow', 'run', 'main', '-q'], { cwd, env });
  assert.deepEqual([local.code, local.stderr], [0, '']);
  assert.deepEqual(await cliWithAnnouncements(['runs', 'prune'], { cwd, env }), done('{"removed":[]}\n'));
  for (const line of [
    ['worker'],
    ['runs', 'list'],
    ['runs', 'show', 'x'],
    ['runs', 'logs', 'x'],
    ['runs', 'wait', 'x'],
  ]) {
    assert.deepEqual(await cliWithAnnouncements(line, { cwd, env }), refused(ABSENT));
  }
});

test('flags for remote runs are rejected for local runs', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const flags = ['--tag', 'mac', '--lock', 'key', '--id', 'x', '--priority', '1', '--checkout', '--detach'];
  assert.deepEqual(
    await cliWithAnnouncements(['run', 'main', ...flags], { cwd }),
    refused(...['tag', 'lock', 'id', 'priority', 'checkout', 'detach'].map((flag) => `'--${flag}' needs '--on'`)),
  );
  assert.deepEqual(
    await cliWithAnnouncements(['run', 'main', ...ELSEWHERE, '--assume', 'step_1=fail'], { cwd }),
    refused("'--assume' needs '--dry-run'"),
  );
});

test('a worker checks its flags before it connects', async (t) => {
  const cwd = temporaryDirectory(t);
  const check = async (line: readonly string[], ...problems: readonly string[]): Promise<void> => {
    const env = { CLI_ENGINE: ENGINE, CLI_ON: undefined };
    assert.deepEqual(await cliWithAnnouncements(['worker', ...line], { cwd, env }), refused(...problems));
  };
  await check([], "flag '--on' is missing: the URL of the database");
  await check(
    [...ELSEWHERE, '--tag', 'ok', '--tag', 'a b', '--name', 'a/b', '--jobs', '0', '--lease', 'x', '--keep', '0'],
    "flag '--tag' takes up to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit",
    "flag '--name' takes up to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit",
    "flag '--jobs' must be a number from 1 on",
    "flag '--lease' must be a number from 2 on",
    "flag '--keep' must be a number from 1 on",
  );
});

test('flags for local runs are rejected for remote runs', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: ['echo "$@"'] } } });
  const local = ['report', 'report-lines', 'events', 'from', 'until', 'only', 'watch'];
  const flags = [
    ...local.flatMap((flag) => [`--${flag}`, '1']),
    '--logs',
    '--tag',
    'a',
    '--tag',
    'a b',
    '--priority',
    '10',
  ];
  assert.deepEqual(
    await cliWithAnnouncements(['run', 'main', ...ELSEWHERE, ...flags, '--', 'x'], {
      cwd,
      env: { CLI_ENGINE: ENGINE },
    }),
    refused(
      ...[...local, 'logs'].map((flag) => `'--${flag}' cannot be used with '--on'`),
      "arguments after '--' cannot be used with '--on'",
      "a run has only one '--tag'",
      "flag '--tag' takes up to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit",
      "flag '--priority' must be a number from 0 to 9",
    ),
  );
});

test('a run is broken whose process sends a message that its worker cannot read', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: ['touch ran'] } } });
  const later =
    "if (process.argv.includes('process')) process.send({ kind: 'record', number: 1, record: { kind: 'op' } });";
  writeFileSync(join(cwd, 'later.cjs'), later);
  await startWorker(t, server(), cwd, { env: { NODE_OPTIONS: `--require "${join(cwd, 'later.cjs')}"` } });
  const { code, stderr } = await remoteCli(['run', 'main', '--on', server().url, '--id', 'later', '-q'], cwd);
  const reason = 'its process sent a message that the worker cannot read: does it have another version?';
  assert.deepEqual(
    { code, stderr },
    { code: 1, stderr: `cli: run later is queued\ncli: run later is broken: ${reason}\n` },
  );
});
