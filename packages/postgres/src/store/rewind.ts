import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Pool, PoolClient } from 'pg';
import { SCHEMA } from '../database/connection.ts';
import { signalIds, takeoversOf } from './names.ts';
import { resumePoint, resumesOf, type Resumes } from './resume_point.ts';

/** A run that ended at `ended`, in milliseconds since 1970, and the queue that it returns to. */
export type EndedRun = Readonly<{ id: string; ended: number; queue: string }>;

/**
 * Returns an ended run to its queue, so that it continues after its recorded results. Does nothing if the run has been
 * resumed since. `guard` is the transaction of a lock workflow, which admits one resume of the run at a time.
 */
export async function rewind(guard: PoolClient, pool: Pool, client: DBOSClient, run: EndedRun): Promise<void> {
  const { id, ended, queue } = run;
  const { rows } = await guard.query(
    `SELECT recovery_attempts AS attempts, attributes FROM ${SCHEMA}.workflow_status
     WHERE workflow_uuid = $1 AND completed_at = $2`,
    [id, ended],
  );
  if (rows[0] === undefined) return;
  const steps = (await client.listWorkflowSteps(id)) ?? [];
  const { keep, isNewSession } = resumePoint(steps.map(({ output }) => output));
  const before = resumesOf(rows[0].attributes);
  const takeovers = takeoversOf(Number(rows[0].attempts));
  const resumed: Resumes = {
    starts: isNewSession ? [...before.starts, keep] : before.starts,
    takeovers: before.takeovers + takeovers,
    fence: before.fence + takeovers + 1,
  };
  // Signals to the ended session do not count for the next one.
  await client.deleteWorkflows([...signalIds(id)]);
  await pool.query(
    `UPDATE ${SCHEMA}.workflow_status SET attributes = attributes || jsonb_build_object('resumed', $3::jsonb)
     WHERE workflow_uuid = $1 AND completed_at = $2`,
    [id, ended, JSON.stringify(resumed)],
  );
  await client.rewindWorkflow(id, { startStep: keep, queueName: queue });
}
