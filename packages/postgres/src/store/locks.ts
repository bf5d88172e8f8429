import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Pool, PoolClient } from 'pg';
import { engineClient } from '../database/dbos.ts';
import { partitionOf, type LockRequest } from './lock_request.ts';
import { ROWS, takeoversOf, WORKFLOWS } from './names.ts';
import { standingsOf } from './run_rows.ts';
import { resumePoint, type Resumes } from './sessions.ts';
import { signalIds } from './signals.ts';
import { inTransaction } from './transaction.ts';

/** The idle time after which the server ends the transaction of a worker that hangs, in milliseconds. */
const DECISION_LIMIT = 5000;

/** `executor` is the id of the worker in the engine. */
export type LockSettings = Readonly<{ url: string; pool: Pool; executor: string }>;

/** `acquired`: the run is queued, is running, or has ended. `taken over`: another worker has the workflow. */
export type LockState = 'waiting' | 'acquired' | 'taken over';

/** The lock workflows of a worker in the database. */
export class LockStore {
  readonly #settings: LockSettings;
  #client: Promise<DBOSClient> | undefined;
  /** Decisions are serialised: one uses up to two connections of the pool. */
  #decided: Promise<unknown> = Promise.resolve();

  constructor(settings: LockSettings) {
    this.#settings = settings;
  }

  /** Returns a lock workflow to its queue, where another worker takes it at once. */
  async giveBack(own: string): Promise<void> {
    await this.#settings.pool.query(
      `UPDATE ${ROWS} SET status = 'ENQUEUED', owner_xid = NULL, started_at_epoch_ms = NULL
       WHERE workflow_uuid = $1 AND status = 'PENDING' AND executor_id = $2`,
      [own, this.#settings.executor],
    );
  }

  /**
   * Starts or resumes a run if no other run holds the lock. The queue starts one workflow per lock at a time, but two
   * can be active after a takeover, or if transactions overlap. Only the check for open runs is exact.
   */
  decide(own: string, request: LockRequest): Promise<LockState> {
    const decided = this.#decided.then(() =>
      inTransaction(this.#settings.pool, DECISION_LIMIT, (guard) => this.#decide(guard, own, request)),
    );
    this.#decided = decided.catch(() => undefined);
    return decided;
  }

  async #decide(guard: PoolClient, own: string, request: LockRequest): Promise<LockState> {
    const { lock, options, use } = request;
    await guard.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`lock ${partitionOf(request)}`]);
    const found = await guard.query(
      `SELECT status, executor_id AS executor, created_at AS created
       FROM ${ROWS} WHERE workflow_uuid = $1 FOR NO KEY UPDATE`,
      [own],
    );
    const row = found.rows[0];
    if (row?.status !== 'PENDING' || row.executor !== this.#settings.executor) return 'taken over';
    const { rows } = await guard.query(
      `SELECT workflow_uuid = $1 AS own, completed_at AS ended FROM ${ROWS}
       WHERE workflow_uuid = $1 OR (
         $2 <> '' AND attributes @> jsonb_build_object('lock', $2::text)
         AND name = 'run' AND status IN ('ENQUEUED', 'PENDING')
       )`,
      [options.workflowID, lock ?? ''],
    );
    const run = rows.find((each) => each.own === true);
    const isToUse = run === undefined || (use.kind === 'resume' && Number(run.ended) === use.ended);
    if (!isToUse) return 'acquired';
    if (rows.some((each) => each.own !== true)) return 'waiting';
    await this.#use(guard, own, request, Number(row.created));
    return 'acquired';
  }

  async #use(guard: PoolClient, own: string, { options, use }: LockRequest, submitted: number): Promise<void> {
    const { url, pool } = this.#settings;
    const client = await (this.#client ??= engineClient(url, pool));
    const { workflowID, attributes, queueName } = options;
    if (use.kind === 'resume') return this.#rewind(guard, client, workflowID, use.ended, queueName);
    const started = { ...options, workflowName: WORKFLOWS.run, attributes: { ...attributes, submitted } };
    await client.enqueueInTransaction(guard, started, use.run);
    await guard.query(`UPDATE ${ROWS} SET parent_workflow_id = $2 WHERE workflow_uuid = $1`, [workflowID, own]);
  }

  /**
   * Returns a run that ended at `ended`, in milliseconds since 1970, to its queue, so that it continues after its
   * recorded results. Does nothing if the run has been resumed since. `guard` is the transaction of a lock workflow,
   * which admits one resume of the run at a time.
   */
  async #rewind(guard: PoolClient, client: DBOSClient, id: string, ended: number, queueName: string): Promise<void> {
    const [run] = await standingsOf(guard, [id]);
    if (run?.ended !== ended) return;
    const steps = (await client.listWorkflowSteps(id)) ?? [];
    const { keep, isNewSession } = resumePoint(steps.map(({ output }) => output));
    const before = run.resumes;
    const takeovers = takeoversOf(run.attempts);
    const resumed: Resumes = {
      starts: isNewSession ? [...before.starts, keep] : before.starts,
      takeovers: before.takeovers + takeovers,
      fence: before.fence + takeovers + 1,
    };
    // Signals to the ended session do not count for the next one.
    await client.deleteWorkflows([...signalIds(id)]);
    await this.#settings.pool.query(
      `UPDATE ${ROWS} SET attributes = attributes || jsonb_build_object('resumed', $3::jsonb)
       WHERE workflow_uuid = $1 AND completed_at = $2`,
      [id, ended, JSON.stringify(resumed)],
    );
    await client.rewindWorkflow(id, { startStep: keep, queueName });
  }
}
