import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory, type CommandResult } from '../support/cli.ts';
import { done, refused } from '../support/project.ts';
import { query } from '../support/remote/database.ts';
import { ownPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, start, startWorker } from '../support/remote/workers.ts';

const server = ownPostgres({
  'pg_hba.conf': 'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n',
});
const LIMITED = needsPostgres();
const FILE = { workflows: { main: { steps: ['true'] } } };

test('a connection to another host requires encryption settings', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const problem = 'the connection to db.example would not be encrypted; add ?sslmode=verify-full';
  for (const line of [['run', 'main'], ['worker'], ['runs', 'list']]) {
    assert.deepEqual(await remoteCli([...line, '--on', 'postgres://ci@db.example/ci'], cwd), refused(problem));
  }
  for (const url of [
    'postgres://ci@db.example/ci?sslmode=',
    'postgres://localhost/ci?host=db.example',
    'postgres:///ci',
  ]) {
    const env = { PGHOST: 'db.example' };
    assert.deepEqual(await remoteCli(['run', 'main', '--on', url], cwd, env), refused(problem), url);
  }
  const url = `${server().url}?sslmode=require`;
  assert.deepEqual(
    await remoteCli(['run', 'main', '--on', url], cwd),
    refused(`cannot reach the database ${url}: The server does not support SSL connections`),
  );
});

test('a text that is not the URL of a database is not printed', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  for (const url of ['mysql://ci:hunter2@127.0.0.1/ci', 'postgres://ci:hunt#er2@127.0.0.1/ci', 'hunter2']) {
    assert.deepEqual(
      await remoteCli(['run', 'main', '--on', url], cwd),
      refused("flag '--on' takes a URL: postgres://HOST/DATABASE"),
    );
  }
});

test('a password comes from the URL, PGPASSWORD or the password file, and is never printed', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  await startWorker(t, server(), cwd);
  await query(server().url, "CREATE ROLE ci SUPERUSER LOGIN PASSWORD 'hunter2'");
  const { port } = new URL(server().url);
  const place = `127.0.0.1:${port}/postgres`;
  const list = (url: string, env: Readonly<Record<string, string>> = {}): Promise<CommandResult> =>
    remoteCli(['workflow', 'runs', 'list', '--on', url], cwd, { PGPASSWORD: undefined, HOME: cwd, ...env });
  const cannot = 'cannot reach the database postgres://ci';
  assert.deepEqual(await list(`postgres://ci:hunter2@${place}`), done('[]\n'));
  assert.deepEqual(await list(`postgres://ci:hunter%32@${place}`), done('[]\n'));
  assert.deepEqual(await list(`postgres://ci@${place}`, { PGPASSWORD: 'hunter2' }), done('[]\n'));
  assert.deepEqual(
    await list(`postgres://ci@${place}`),
    refused(`${cannot}@${place}: no password is given: use ~/.pgpass or PGPASSWORD`),
  );
  writeFileSync(join(cwd, '.pgpass'), `127.0.0.1:${port}:*:ci:hunter2\n`, { mode: 0o600 });
  assert.deepEqual(await list(`postgres://ci@${place}`), done('[]\n'));
  const denied = 'password authentication failed for user "ci"';
  assert.deepEqual(await list(`postgres://ci:hunter3@${place}`), refused(`${cannot}:***@${place}: ${denied}`));
  const parameter = `postgres://ci@${place}?password=`;
  assert.deepEqual(await list(`${parameter}hunter3`), refused(`${cannot}@${place}?password=***: ${denied}`));
  // A slash in a password must be encoded in the URL. Here, the name of the user is taken for the host.
  assert.deepEqual(
    await list(`postgres://127.0.0.1:1/hunter2@${place}?sslmode=disable`),
    refused('cannot reach the database postgres://***: connect ECONNREFUSED 127.0.0.1:1'),
  );
});

test('the password of the database is not stored', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: ['env'] } } });
  await query(server().url, "CREATE ROLE hidden SUPERUSER LOGIN PASSWORD 'hunter2'");
  const { port } = new URL(server().url);
  const url = `postgres://hidden:hunter2@127.0.0.1:${port}/postgres`;
  const worker = start(t, ['worker', '--tag', 'hidden'], cwd, { CLI_ON: url });
  await worker.says('is ready');
  const client = await remoteCli(['run', 'main', '--on', url, '--tag', 'hidden', '--debug'], cwd);
  assert.equal(client.code, 0);
  const tables = await query(
    server().url,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'workflow_plan'",
  );
  assert.ok(tables.length > 5);
  const texts = tables.map(({ name }) =>
    query(server().url, `SELECT each::text FROM workflow_plan."${String(name)}" AS each`),
  );
  for (const text of [client.stderr, client.stdout, worker.stderr(), JSON.stringify(await Promise.all(texts))]) {
    assert.ok(!text.includes('hunter2'), text);
  }
});
