import type { Pool } from 'pg';
import { ROWS } from './names.ts';

/**
 * The state of a run as its clients see it. `queued`: waiting for its lock or its first worker. `cancelled`: removed
 * from its queue. `ended`: finished, or given up.
 */
export type Phase = 'absent' | 'queued' | 'running' | 'cancelled' | 'ended';

/** The row of a run. `attempts` counts the workers that took it; `ended` is in milliseconds since 1970. */
export type RunRow = Readonly<{ status: string; attempts: number; ended: number | null }>;

/** The row of a run's lock workflow. `resumes` is the `ended` of the run to resume; null to start it. */
export type LockRow = Readonly<{ id: string; status: string; resumes: number | null }>;

/** True while a run waits for its lock. */
export function isBeforeLock(run: RunRow | undefined, lock: LockRow | undefined): lock is LockRow {
  return lock !== undefined && (run === undefined || (lock.resumes !== null && lock.resumes === run.ended));
}

const OPEN: readonly string[] = ['ENQUEUED', 'PENDING', 'DELAYED'];

/** The statuses of workflows that have not ended yet, as a list in SQL. */
export const OPEN_STATUSES = `('${OPEN.join("', '")}')`;

/** True for the status of a workflow that has not ended yet. */
export function isOpen(status: string): boolean {
  return OPEN.includes(status);
}

/** The phase of a run, and the id of the deciding row: its own, or that of its newest lock workflow. */
export async function phaseOf(pool: Pool, id: string): Promise<Readonly<{ phase: Phase; row: string }>> {
  const { run, lock } = await rowsOf(pool, id);
  if (isBeforeLock(run, lock)) return { phase: endedPhase(lock.status) ?? 'queued', row: lock.id };
  // Between two workers, a run counts as running.
  const open = run !== undefined && run.status !== 'PENDING' && run.attempts === 0 ? 'queued' : 'running';
  return { phase: run === undefined ? 'absent' : (endedPhase(run.status) ?? open), row: id };
}

function endedPhase(status: string): Phase | undefined {
  return isOpen(status) ? undefined : status === 'CANCELLED' ? 'cancelled' : 'ended';
}

/** The row of a run, and that of its newest lock workflow, which is not looked up while the run is open. */
export async function rowsOf(
  pool: Pick<Pool, 'query'>,
  id: string,
): Promise<Readonly<{ run: RunRow | undefined; lock: LockRow | undefined }>> {
  const { rows } = await pool.query(
    `WITH run AS (SELECT * FROM ${ROWS} WHERE workflow_uuid = $1),
     lock AS (
       SELECT * FROM ${ROWS}
       WHERE attributes @> jsonb_build_object('locked', $1::text)
         AND NOT EXISTS (SELECT 1 FROM run WHERE status IN ${OPEN_STATUSES})
     )
     SELECT name, workflow_uuid AS id, status, recovery_attempts AS attempts, completed_at AS ended,
       attributes->>'resumes' AS resumes
     FROM (SELECT * FROM run UNION ALL SELECT * FROM lock) AS either
     ORDER BY created_at`,
    [id],
  );
  const [run, lock] = ['run', 'lock'].map((name) => rows.findLast((row) => row.name === name));
  return {
    run: run && { status: String(run.status), attempts: Number(run.attempts), ended: numberOf(run.ended) },
    lock: lock && { id: String(lock.id), status: String(lock.status), resumes: numberOf(lock.resumes) },
  };
}

/** A number that the database returns as text. */
export function numberOf(value: unknown): number | null {
  return value === null ? null : Number(value);
}
