import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { refused } from '../support/project.ts';
import { query } from '../support/remote/database.ts';
import { ownPostgres } from '../support/remote/postgres.ts';
import { engineWith, needsPostgres, remoteCli, start, startClient, startWorker } from '../support/remote/workers.ts';

const server = ownPostgres();
const LIMITED = needsPostgres();
const FILE = { workflows: { main: { steps: ['echo a >> ran', 'echo b >> ran'] } } };

/** Creates a role for workers. Returns its URL. */
async function createRole(name: string): Promise<string> {
  const rights = `CREATE ROLE ${name} LOGIN; GRANT pg_read_all_data, pg_write_all_data TO ${name}`;
  await query(server().url, rights);
  return server().url.replace('postgres@', `${name}@`);
}

test('a worker that the database refuses for want of connections does not start', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const url = await createRole('few');
  // One connection is enough for the checks at the start.
  await query(server().url, 'ALTER ROLE few CONNECTION LIMIT 1');
  assert.deepEqual(
    await start(t, ['worker', '--on', url], cwd).ended,
    refused(`cannot reach the database ${url}: too many connections for role "few"`),
  );
});

test('a worker that has lost its connections waits for new ones, and says so again and again', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const url = await createRole('cut');
  const worker = await startWorker(t, { ...server(), url }, cwd, { env: engineWith(t, { reminder: 1 }) });
  await query(server().url, 'ALTER ROLE cut CONNECTION LIMIT 0');
  await query(server().url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'cut'");
  const line = `cli: cannot reach the database ${url}: too many connections for role "cut"; trying again\n`;
  await worker.says(line.repeat(2));
  await query(server().url, 'ALTER ROLE cut CONNECTION LIMIT -1');
  await worker.says('cli: the database is back\n');
  const { code, stderr } = await remoteCli(['workflow', 'run', 'main', '--on', server().url, '-q'], cwd);
  assert.equal(code, 0, stderr);
});

test('a worker survives the end of its sessions at any moment', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const url = await createRole('ended');
  const worker = await startWorker(t, { ...server(), url }, cwd, { flags: ['--tag', 'ended'] });
  const end = `DO $$ BEGIN
    FOR n IN 1..150 LOOP
      PERFORM pg_stat_clear_snapshot();
      PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'workflow-plan%';
      PERFORM pg_sleep(0.02 + 0.1 * random());
    END LOOP;
  END $$`;
  await query(server().url, end);
  assert.equal(worker.child.exitCode, null, worker.stderr());
  const line = ['workflow', 'run', 'main', '--on', server().url, '--tag', 'ended', '-q'];
  const { code, stderr } = await remoteCli(line, cwd);
  assert.equal(code, 0, stderr);
});

/** Makes each change of a table fail as it does on a full disk, until it is undone. */
async function fillDisk(table: string): Promise<() => Promise<unknown>> {
  const { url } = server();
  await query(
    url,
    `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
     CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON workflow_plan.${table} EXECUTE FUNCTION full_disk()`,
  );
  return () => query(url, 'DROP FUNCTION full_disk CASCADE');
}

test('a worker does not start while the disk of the database is full', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const { url } = server();
  const undo = await fillDisk('application_versions');
  assert.deepEqual(
    await start(t, ['worker', '--on', url], cwd).ended,
    refused(`cannot reach the database ${url}: could not extend file: No space left on device`),
  );
  await undo();
});

test('a worker waits while the disk of the database is full, and then goes on', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const worker = await startWorker(t, server(), cwd);
  const undo = await fillDisk('operation_outputs');
  const client = startClient(['workflow', 'run', 'main', '--on', server().url, '--id', 'full', '-q'], cwd);
  const line = 'cli: the database cannot store results: could not extend file: No space left on device; trying again\n';
  await worker.says(line);
  assert.equal(readFileSync(join(cwd, 'ran'), 'utf8'), 'a\n');
  await undo();
  const { code, stderr } = await client.ended;
  assert.equal(code, 0, stderr);
  assert.equal(readFileSync(join(cwd, 'ran'), 'utf8'), 'a\nb\n');
  await worker.says('cli: the database is back\n');
});
