import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cliWithAnnouncements, temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { refused } from '../support/project.ts';
import { ENGINE, needsPostgres, remoteCli, sharedPostgres } from '../support/remote/workers.ts';
import { VERSION } from '../../src/version.ts';

const server = sharedPostgres();
const LIMITED = { ...needsPostgres(), timeout: 60_000 };
const FILE = { workflows: { main: { steps: ['true'] } } };
const ELSEWHERE = ['--on', 'postgres://ci:hunter2@127.0.0.1:1/ci'];

function secretProblem(name: string): string {
  return `'${name}' looks like a secret and would be stored in the database; set it in the worker's environment`;
}

test('a missing package for databases, or another version of it, is an error', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const absent = await cliWithAnnouncements(['run', 'main', ...ELSEWHERE], { cwd, env: { CLI_ENGINE: cwd } });
  assert.deepEqual(
    absent,
    refused("'--on' needs the package workflow-plan-postgres: npm install -g workflow-plan-postgres"),
  );
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

test('a connection to another host requires encryption settings', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const problem = 'the connection to db.example would not be encrypted; add ?sslmode=verify-full';
  for (const line of [['run', 'main'], ['worker']]) {
    assert.deepEqual(await remoteCli([...line, '--on', 'postgres://ci@db.example/ci'], cwd), refused(problem));
  }
});

test('a client requires the schema created by a worker', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  assert.deepEqual(
    await remoteCli(['run', 'main', '--on', server().url], cwd),
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

test('flags for local runs are rejected for remote runs', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: ['echo "$@"'] } } });
  const flags = ['--from', 'step_1', '--events', 'e.ndjson', '--tag', 'a b', '--priority', '10'];
  assert.deepEqual(
    await cliWithAnnouncements(['run', 'main', ...ELSEWHERE, ...flags, '--', 'x'], {
      cwd,
      env: { CLI_ENGINE: ENGINE },
    }),
    refused(
      "'--events' cannot be used with '--on'",
      "'--from' cannot be used with '--on'",
      "arguments after '--' cannot be used with '--on'",
      "flag '--tag' takes up to 64 letters, digits, dots, hyphens and underscores",
      "flag '--priority' must be a number from 0 to 9",
    ),
  );
});
