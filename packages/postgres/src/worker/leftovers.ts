import type { Pool } from 'pg';
import { endUnattended, findUnattended, type UnattendedRun } from '../../../../src/driver/remote/unattended.ts';
import { SCHEMA } from '../database/connection.ts';
import { resumesOf } from '../store/resume_point.ts';

/**
 * Ends the processes on this host of runs whose worker and own process were killed together: runs that are not over, and
 * those that another worker has taken over. A process that a finished run has left running goes on.
 */
export async function endLeftovers(pool: Pool, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const found = findUnattended(env);
  if (found.length === 0) return;
  const { rows } = await pool.query(
    `SELECT workflow_uuid AS id, recovery_attempts AS attempts, attributes, status FROM ${SCHEMA}.workflow_status
     WHERE workflow_uuid = ANY($1)`,
    [found.map(({ run }) => run)],
  );
  const isLost = ({ run, fence }: UnattendedRun): boolean =>
    rows.some(({ id, attempts, attributes, status }) => {
      // An earlier session ended in order.
      const first = resumesOf(attributes).fence;
      const current = first + Math.max(0, Number(attempts) - 1);
      return id === run && fence >= first && (fence < current || (fence === current && status === 'PENDING'));
    });
  if (found.some((run) => isLost(run))) await endUnattended(env, isLost);
}
