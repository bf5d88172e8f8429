import { DBOS, type DBOSClient } from '@dbos-inc/dbos-sdk';
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { registerInternalQueue } from '@dbos-inc/dbos-sdk/internal/wfqueue';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { inTransaction, isConnectionProblem, SCHEMA } from '../database/connection.ts';
import { partitionOf, type LockRequest } from '../store/lock_request.ts';
import { LOCKS, WORKFLOWS } from '../store/names.ts';
import { isOpen } from '../store/phase.ts';
import { rewind } from '../store/rewind.ts';
import { engineClient } from '../store/run_rows.ts';

/** The polling interval of the queue, of a wait for a lock, and of the run that holds it; in milliseconds. */
const INTERVAL = 500;

/** No limit: each worker that stops hands its locks over. */
const MAX_TAKEOVERS = 1_000_000_000;

/** The idle time after which the server ends the transaction of a worker that hangs, in milliseconds. */
const DECISION_LIMIT = 5000;

/** `executor` is the id of the worker in the engine. */
export type LockSettings = Readonly<{ url: string; pool: Pool; executor: string }>;

/** `acquired`: the run is queued, is running, or has ended. `taken over`: another worker has the workflow. */
type LockState = 'waiting' | 'acquired' | 'taken over';

/** Acquires locks for runs and holds them until the runs end; resumes runs. This takes none of the worker's jobs. */
export class Locks {
  readonly #settings: LockSettings;
  #client: Promise<DBOSClient> | undefined;
  /** Decisions are serialised: one uses up to two connections of the pool. */
  #decided: Promise<unknown> = Promise.resolve();
  #isStopping = false;
  #stop: () => void = () => undefined;
  readonly #stopped = new Promise<void>((resolve) => (this.#stop = resolve));

  constructor(settings: LockSettings) {
    this.#settings = settings;
  }

  /** Registers the workflow and the queue with the engine. */
  register(): void {
    const hold = (request: LockRequest): Promise<void> => this.#hold(request);
    DBOS.registerWorkflow(hold, { name: WORKFLOWS.lock, maxRecoveryAttempts: MAX_TAKEOVERS });
    registerInternalQueue(LOCKS, { partitionConcurrency: 1, minPollingIntervalMs: INTERVAL });
  }

  /** Stops taking runs, and hands the locks over to other workers. */
  async stop(): Promise<void> {
    await DBOSExecutor.globalInstance?.deactivateEventReceivers();
    this.#isStopping = true;
    this.#stop();
    // The engine does not wait for workflows it no longer owns.
    while (heldLocks() > 0) await delay(50);
  }

  async #hold(request: LockRequest): Promise<void> {
    const own = DBOS.workflowID;
    if (own === undefined) throw new Error('outside of a workflow');
    let decision: LockState = 'waiting';
    for (;;) {
      try {
        // The engine does not record the end of a workflow it does not own.
        if (this.#isStopping) return await this.#giveBack(own);
        if (decision === 'waiting') decision = await this.#decideNext(own, request);
        if (decision === 'taken over') return;
        if (decision === 'acquired' && (await this.#hasEnded(request.options.workflowID))) return;
      } catch (error) {
        if (!isConnectionProblem(error)) throw error;
      }
      await Promise.race([delay(INTERVAL), this.#stopped]);
    }
  }

  /** Returns the workflow to its queue, where another worker takes it at once. */
  async #giveBack(own: string): Promise<void> {
    await this.#settings.pool.query(
      `UPDATE ${SCHEMA}.workflow_status SET status = 'ENQUEUED', owner_xid = NULL, started_at_epoch_ms = NULL
       WHERE workflow_uuid = $1 AND status = 'PENDING' AND executor_id = $2`,
      [own, this.#settings.executor],
    );
  }

  async #hasEnded(id: string): Promise<boolean> {
    const { rows } = await this.#settings.pool.query(
      `SELECT status FROM ${SCHEMA}.workflow_status WHERE workflow_uuid = $1`,
      [id],
    );
    return rows[0] === undefined || !isOpen(String(rows[0].status));
  }

  #decideNext(own: string, request: LockRequest): Promise<LockState> {
    const { pool } = this.#settings;
    const decided = this.#decided.then(() =>
      inTransaction(pool, DECISION_LIMIT, (client) => this.#decide(client, own, request)),
    );
    this.#decided = decided.catch(() => undefined);
    return decided;
  }

  /**
   * Starts or resumes the run if no other run holds the lock. The queue starts one workflow per lock at a time, but two
   * can be active after a takeover, or if transactions overlap. Only the check for open runs is exact.
   */
  async #decide(client: PoolClient, own: string, request: LockRequest): Promise<LockState> {
    const { lock, options, use } = request;
    const { workflowID: id } = options;
    const key = `lock ${partitionOf(request)}`;
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
    const found = await client.query(
      `SELECT status, executor_id AS executor, created_at AS created
       FROM ${SCHEMA}.workflow_status WHERE workflow_uuid = $1 FOR NO KEY UPDATE`,
      [own],
    );
    const row = found.rows[0];
    if (row?.status !== 'PENDING' || row.executor !== this.#settings.executor) return 'taken over';
    const { rows } = await client.query(
      `SELECT workflow_uuid = $1 AS own, completed_at AS ended FROM ${SCHEMA}.workflow_status
       WHERE workflow_uuid = $1 OR (
         $2 <> '' AND attributes @> jsonb_build_object('lock', $2::text)
         AND name = 'run' AND status IN ('ENQUEUED', 'PENDING')
       )`,
      [id, lock ?? ''],
    );
    const run = rows.find((each) => each.own === true);
    const isToUse = run === undefined || (use.kind === 'resume' && Number(run.ended) === use.ended);
    if (!isToUse) return 'acquired';
    if (rows.some((each) => each.own !== true)) return 'waiting';
    await this.#use(client, own, request, Number(row.created));
    return 'acquired';
  }

  async #use(guard: PoolClient, own: string, { options, use }: LockRequest, submitted: number): Promise<void> {
    const { url, pool } = this.#settings;
    const { workflowID, attributes, queueName } = options;
    const client = await (this.#client ??= engineClient(url, pool));
    if (use.kind === 'resume')
      return rewind(guard, pool, client, { id: workflowID, ended: use.ended, queue: queueName });
    const started = { ...options, workflowName: WORKFLOWS.run, attributes: { ...attributes, submitted } };
    await client.enqueueInTransaction(guard, started, use.run);
    await guard.query(`UPDATE ${SCHEMA}.workflow_status SET parent_workflow_id = $2 WHERE workflow_uuid = $1`, [
      workflowID,
      own,
    ]);
  }
}

function heldLocks(): number {
  return DBOSExecutor.globalInstance?.systemDatabase.countRunningWorkflowsForQueue(LOCKS) ?? 0;
}
