import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { workflowDirectory, type CommandResult } from '../support/cli.ts';
import { refused } from '../support/project.ts';
import { query } from '../support/remote/database.ts';
import { blocksIn } from '../support/remote/scaling_page.ts';
import { ownPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, start, startClient } from '../support/remote/workers.ts';

const server = ownPostgres();
const LIMITED = needsPostgres();
const FILE = { workflows: { main: { steps: ['echo done'] }, long: { steps: ['echo ready; sleep 60'] } } };

/** The URL of the database for a role. */
function urlFor(role: string, database: string): string {
  const url = new URL(server().url);
  url.username = role;
  url.pathname = `/${database}`;
  return url.href;
}

/** A database of the role `ci`, with a running worker and the roles of docs/scaling.md. */
async function createDatabase(t: TestContext, cwd: string): Promise<void> {
  await query(server().url, 'CREATE ROLE ci LOGIN');
  await query(server().url, 'CREATE DATABASE ci OWNER ci');
  const worker = start(t, ['worker', '--on', urlFor('ci', 'ci'), '--name', 'here'], cwd);
  await worker.says(' is ready: it takes runs ');
  const [roles = '', ...others] = blocksIn('Secrets and permissions', 'sql');
  assert.deepEqual(others, []);
  await query(urlFor('postgres', 'ci'), roles);
}

test('the roles of docs/scaling.md have exactly the described permissions', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  await createDatabase(t, cwd);
  const denied = (role: string, table: string): CommandResult =>
    refused(`no permission in the database ${urlFor(role, 'ci')}: permission denied for table ${table}`);
  const as = (role: string, ...words: readonly string[]): Promise<CommandResult> =>
    remoteCli([...words, '--on', urlFor(role, 'ci')], cwd);
  const refuses = async (role: string, statement: string): Promise<void> => {
    await assert.rejects(query(urlFor(role, 'ci'), statement), { code: '42501' });
  };

  const run = await as('ci_client', 'run', 'main', '--id', 'first', '-q');
  assert.deepEqual([run.code, run.stderr], [0, 'cli: run first is queued\ndone\n']);
  const locked = await as('ci_client', 'run', 'main', '--id', 'locked', '--lock', 'key', '-q');
  assert.deepEqual([locked.code, locked.stderr], [0, "cli: run locked is queued, under the lock 'key'\ndone\n"]);
  const client = startClient(['run', 'long', '--id', 'long', '-q', '--on', urlFor('ci_client', 'ci')], cwd);
  await client.says('ready');
  const sessions = await query(
    server().url,
    "SELECT usename AS role, count(*)::int AS sessions FROM pg_stat_activity WHERE datname = 'ci' GROUP BY 1 ORDER BY 1",
  );
  assert.equal(sessions.find(({ role }) => role === 'ci')?.['sessions'], 3);
  assert.ok(Number(sessions.find(({ role }) => role === 'ci_client')?.['sessions']) <= 2);
  assert.equal((await as('ci_client', 'runs', 'cancel', 'long')).code, 0);
  const resumed = startClient(['runs', 'resume', 'long', '--on', urlFor('ci_client', 'ci')], cwd);
  await resumed.says('this run was resumed; going on after 0 recorded results on here');
  assert.equal((await as('ci_client', 'runs', 'cancel', 'long')).code, 0);
  await as('ci_client', 'run', 'main', '--id', 'waiting', '--tag', 'none', '--detach');
  assert.match((await as('ci_client', 'runs', 'cancel', 'waiting')).stdout, /"state":"cancelled"/);

  for (const role of ['ci_client', 'ci_reader']) {
    await refuses(role, "UPDATE workflow_plan.operation_outputs SET output = ''");
    await refuses(role, "UPDATE workflow_plan.workflow_output SET output = ''");
    await refuses(role, "UPDATE workflow_plan.streams SET value = ''");
    await refuses(role, 'DELETE FROM workflow_plan.workflow_status');
    await refuses(role, 'CREATE TABLE workflow_plan.other ()');
  }

  await refuses('ci_reader', "UPDATE workflow_plan.workflow_status SET status = ''");
  assert.equal((await as('ci_reader', 'runs', 'list', '--format', 'table')).stdout.split('\n').length - 2, 4);
  assert.match((await as('ci_reader', 'runs', 'show', 'first')).stdout, /"ops":\[\{/);
  assert.match((await as('ci_reader', 'runs', 'logs', 'first')).stdout, /^done$/m);
  assert.equal((await as('ci_reader', 'runs', 'wait', 'first')).code, 0);
  assert.deepEqual(await as('ci_reader', 'run', 'main'), denied('ci_reader', 'workflow_status'));
  await as('ci_client', 'run', 'main', '--id', 'other', '--tag', 'none', '--detach');
  const ended = "UPDATE workflow_plan.workflow_status SET status = 'SUCCESS' WHERE workflow_uuid = 'forged'";
  for (const column of ['output', 'error', 'workflow_uuid', 'attributes', 'inputs'])
    await refuses('ci_client', `UPDATE workflow_plan.workflow_status SET ${column} = NULL`);
  await refuses('ci_client', "INSERT INTO workflow_plan.workflow_status (workflow_uuid, output) VALUES ('x', '')");
  await as('ci_client', 'run', 'main', '--id', 'forged', '--tag', 'none', '--detach');
  await query(urlFor('ci_client', 'ci'), ended);
  const forged = await as('ci_client', 'runs', 'wait', 'forged');
  assert.deepEqual(
    [forged.code, forged.stderr],
    [1, 'cli: run forged is broken: its status was set without a result\n'],
  );
  assert.match((await as('ci_client', 'runs', 'show', 'forged')).stdout, /"state":"broken"/);
  assert.deepEqual(await as('ci_reader', 'runs', 'cancel', 'other'), denied('ci_reader', 'workflow_status'));
});

test('a role without the permission to create the schema requires an existing one', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  await query(server().url, 'CREATE ROLE stranger LOGIN');
  await query(server().url, 'CREATE DATABASE empty');
  const url = urlFor('stranger', 'empty');
  const problem = 'the database lacks the schema; start a worker once as its owner';
  assert.deepEqual(await start(t, ['worker', '--on', url], cwd).ended, refused(problem));
  for (const line of [
    ['run', 'main'],
    ['runs', 'list'],
  ]) {
    assert.deepEqual(await remoteCli([...line, '--on', url], cwd), refused(problem));
  }
  await query(urlFor('postgres', 'empty'), 'CREATE SCHEMA workflow_plan');
  assert.deepEqual(
    await remoteCli(['runs', 'list', '--on', url], cwd),
    refused(`no permission in the database ${url}: permission denied for schema workflow_plan`),
  );
});
