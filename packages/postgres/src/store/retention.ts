import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { engineClient } from '../database/dbos.ts';
import { ROWS } from './names.ts';
import { OPEN_STATUSES } from './phase.ts';
import { signalIds } from './signals.ts';

/** The interval at which old runs are removed, in milliseconds. */
const PERIOD = 3_600_000;

/** The number of runs that are removed at a time. */
const BATCH = 500;

/** `keep` is the number of days for which an ended run stays. */
export type RetentionSettings = Readonly<{ url: string; pool: Pool; keep: number }>;

/** Removes old runs for as long as the process lives, beginning at once. */
export async function removeOldRuns(settings: RetentionSettings): Promise<void> {
  for (;;) {
    // An outage of the database ends the round.
    await removeRound(settings).catch(() => undefined);
    await delay(PERIOD, undefined, { ref: false });
  }
}

async function removeRound(settings: RetentionSettings): Promise<void> {
  while ((await removeBatch(settings)) === BATCH);
}

/** Removes the rows of up to `BATCH` runs, with those of their locks and signals; returns the number of runs. */
async function removeBatch({ url, pool, keep }: RetentionSettings): Promise<number> {
  const runs = await findOldRuns(pool, keep);
  if (runs.length === 0) return 0;
  const { rows } = await pool.query(`SELECT workflow_uuid AS id FROM ${ROWS} WHERE attributes->>'locked' = ANY($1)`, [
    runs,
  ]);
  const locks = rows.map(({ id }) => String(id));
  const client = await engineClient(url, pool);
  await client.deleteWorkflows([...runs, ...locks, ...runs.flatMap((id) => signalIds(id))]);
  return runs.length;
}

/**
 * The ids of runs that ended more than `keep` days ago, by the clock of the database. Some were cancelled before they
 * had a row of their own. A run that waits to be resumed is not among them.
 */
async function findOldRuns(pool: Pool, keep: number): Promise<readonly string[]> {
  const { rows } = await pool.query(
    `SELECT DISTINCT COALESCE(old.attributes->>'locked', old.workflow_uuid) AS id
     FROM ${ROWS} AS old
     WHERE old.status NOT IN ${OPEN_STATUSES}
       AND old.completed_at < EXTRACT(EPOCH FROM now()) * 1000 - $1::bigint * 86400000
       AND (old.name = 'run' OR old.name = 'lock' AND NOT EXISTS (
         SELECT 1 FROM ${ROWS} AS run WHERE run.workflow_uuid = old.attributes->>'locked'
       ))
       AND NOT EXISTS (
         SELECT 1 FROM ${ROWS} AS lock
         WHERE lock.attributes->>'locked' = COALESCE(old.attributes->>'locked', old.workflow_uuid)
           AND lock.status IN ('ENQUEUED', 'PENDING')
       )
     LIMIT ${BATCH}`,
    [keep],
  );
  return rows.map(({ id }) => String(id));
}
