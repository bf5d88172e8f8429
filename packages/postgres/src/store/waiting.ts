import type { Pool } from 'pg';
import { SCHEMA } from '../database/connection.ts';
import { queueOf } from './names.ts';

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
      `SELECT workflow_uuid AS id FROM ${SCHEMA}.workflow_status
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
