import { setTimeout as delay } from 'node:timers/promises';
import type { Client, Pool } from 'pg';
import { APPLICATION } from '../database/dbos.ts';
import { queueOf, ROWS } from './names.ts';

/** The `application_name` of a worker's session. It tells clients which queues connected workers take from. */
export function workerLabel(name: string, queues: readonly string[], jobs: number): string {
  // PostgreSQL truncates application names to 63 bytes: the last of many tags may be missing.
  return `workflow-plan worker ${jobs} ${queues.map((queue) => queue.replace('tag ', '+')).join(' ')} ${name}`;
}

/** A run that waits; its lock and its tag explain why. */
export type WaitingRun = Readonly<{ id: string; tag: string | null; lock: string | null }>;

/** The reason why a run waits in its queue, as the end of a sentence. */
export async function describeWait(pool: Pool, { id, tag, lock }: WaitingRun): Promise<string> {
  if (lock !== null) {
    const { rows } = await pool.query(
      `SELECT workflow_uuid AS id FROM ${ROWS}
       WHERE name = 'run' AND attributes @> jsonb_build_object('lock', $1::text) AND workflow_uuid <> $2 AND status IN ('PENDING', 'ENQUEUED')
       ORDER BY created_at LIMIT 1`,
      [lock, id],
    );
    if (rows[0] !== undefined) return `'${lock}' is held by run ${rows[0].id}`;
  }
  const word = queueOf(tag).replace('tag ', '+');
  const { rows } = await pool.query(
    `SELECT application_name AS label FROM pg_stat_activity WHERE application_name LIKE 'workflow-plan worker %'`,
  );
  const fitting = rows.filter(({ label }) => String(label).split(' ').slice(3).includes(word)).length;
  const kind = tag === null ? 'no worker without a tag' : `no worker with the tag '${tag}'`;
  return fitting === 0 ? `${kind} is connected` : `all ${fitting} are busy`;
}

/** Ends a session on the server once it has been idle for this many seconds. */
export async function limitIdleTime(client: Client, seconds: number): Promise<void> {
  await client.query(`SET idle_session_timeout = ${seconds * 1000}`);
}

/** Waits for some work, and keeps a session from idling meanwhile: a query every `interval` milliseconds. */
export async function keepAlive(client: Client, work: Promise<void>, interval: number): Promise<void> {
  const over = work.then(() => true);
  while (!(await Promise.race([over, delay(interval, false)]))) await client.query('SELECT 1');
}

/** Takes the lock by which a worker proves that it is alive; false if another session holds it. */
export async function tryLock(client: Client, worker: string): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held', [worker]);
  return rows[0]?.held === true;
}

/** Releases the lock of a worker. */
export async function unlock(client: Client, worker: string): Promise<void> {
  await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [worker]);
}

/** The ids of workers that have runs, other than the given one. */
export async function findOthers(client: Client, worker: string): Promise<readonly string[]> {
  const { rows } = await client.query(
    `SELECT DISTINCT executor_id AS id FROM ${ROWS}
     WHERE status = 'PENDING' AND application_name = $1 AND executor_id <> $2`,
    [APPLICATION, worker],
  );
  return rows.map(({ id }) => String(id));
}

/** The runs among the given ones that a worker no longer has. */
export async function findLost(client: Client, worker: string, runs: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query(
    `SELECT workflow_uuid AS id FROM ${ROWS} WHERE workflow_uuid = ANY($1) AND executor_id <> $2 ORDER BY created_at`,
    [runs, worker],
  );
  return rows.map(({ id }) => String(id));
}
