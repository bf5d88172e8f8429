import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { query } from '../support/remote/database.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, start, startWorker } from '../support/remote/workers.ts';
import { until } from '../support/until.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

const isOld = (id: unknown): boolean => / old(?!-queued)/.test(String(id));

/** The ids in all tables of the schema with rows about workflows of the engine. */
async function storedIds(): Promise<readonly unknown[]> {
  const tables = await query(
    server().url,
    `SELECT table_name AS name, column_name AS id FROM information_schema.columns
     WHERE table_schema = 'workflow_plan' AND column_name IN ('workflow_uuid', 'destination_uuid')`,
  );
  const all = tables.map(
    ({ name, id }) => `SELECT DISTINCT '${String(name)} ' || ${String(id)} AS id FROM workflow_plan.${String(name)}`,
  );
  return (await query(server().url, `${all.join(' UNION ')} ORDER BY id`)).map(({ id }) => id);
}

test('a worker removes old runs with all their rows', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, {
    workflows: { main: { steps: ['echo text'] }, long: { steps: ['echo ready; sleep 60'] }, bad: { steps: ['false'] } },
  });
  const line = (name: string, id: string, ...more: string[]): string[] => {
    return ['workflow', 'run', name, '--on', server().url, '--id', id, '-q', ...more];
  };
  const first = await startWorker(t, server(), cwd, { flags: ['--jobs', '4'] });
  await Promise.all([
    remoteCli(line('main', 'new'), cwd),
    remoteCli(line('main', 'old'), cwd),
    remoteCli(line('bad', 'old-locked', '--lock', 'k'), cwd),
  ]);
  const client = start(t, line('long', 'old-cancelled', '--lock', 'k'), cwd);
  await client.says('ready');
  await remoteCli(line('main', 'old-waiting', '--lock', 'k', '--detach'), cwd);
  assert.equal((await remoteCli(['runs', 'cancel', 'old-waiting', '--on', server().url], cwd)).code, 0);
  client.child.kill('SIGINT');
  assert.equal((await client.ended).signal, 'SIGINT');
  await remoteCli(line('main', 'old-queued', '--tag', 'nobody', '--detach'), cwd);
  // The lock of the cancelled run polls for its end. A worker that stops earlier would hand the lock over.
  const open = "SELECT FROM workflow_plan.workflow_status WHERE name = 'lock' AND status IN ('ENQUEUED', 'PENDING')";
  await until(
    async () => (await query(server().url, open)).length === 0,
    () => `the locks are released: ${first.stderr()}`,
    100,
  );
  first.child.kill('SIGTERM');
  assert.equal((await first.ended).code, 0);
  const day = 86_400_000;
  await query(
    server().url,
    `UPDATE workflow_plan.workflow_status SET created_at = created_at - $1::bigint,
       completed_at = completed_at - CASE WHEN workflow_uuid LIKE 'old%' THEN $1::bigint ELSE $2::bigint END`,
    [2.1 * day, 1.9 * day],
  );
  await startWorker(t, server(), cwd, { flags: ['--keep', '2', '--tag', 'mac'] });
  let stored: readonly unknown[] = [];
  await until(
    async () => {
      stored = await storedIds();
      return !stored.some((id) => isOld(id));
    },
    () => `the old runs are removed: ${stored.join(', ')}`,
    100,
  );
  assert.deepEqual(stored, [
    'operation_outputs new',
    'streams new',
    'workflow_input new',
    'workflow_input old-queued',
    'workflow_output new',
    'workflow_status new',
    'workflow_status old-queued',
  ]);
});
