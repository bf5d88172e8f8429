import type { Pool } from 'pg';
import { endUnattended, findUnattended, type UnattendedRun } from '../../../src/driver/remote/unattended.ts';
import { SCHEMA } from './connection.ts';

/**
 * Ends the processes on this host of runs whose worker and own process were killed together: runs that are not over, and
 * those that another worker has taken over. A process that a finished run has left running goes on.
 */
export async function endLeftovers(pool: Pool, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const found = findUnattended(env);
  if (found.length === 0) return;
  const { rows } = await pool.query(
    `SELECT workflow_uuid AS id, recovery_attempts AS attempts, status FROM ${SCHEMA}.workflow_status
     WHERE workflow_uuid = ANY($1)`,
    [found.map(({ run }) => run)],
  );
  const isLost = ({ run, fence }: UnattendedRun): boolean =>
    rows.some(({ id, attempts, status }) => {
      const takeovers = Math.max(0, Number(attempts) - 1);
      return id === run && (fence < takeovers || (fence === takeovers && status === 'PENDING'));
    });
  if (found.some((run) => isLost(run))) await endUnattended(env, isLost);
}
