import { DBOS } from '@dbos-inc/dbos-sdk';
import { setTimeout as delay } from 'node:timers/promises';
import { isConnectionProblem } from '../database/connection.ts';
import type { LockRequest } from '../store/lock_request.ts';
import { LockStore, type LockSettings, type LockState } from '../store/locks.ts';
import { LOCKS, WORKFLOWS } from '../store/names.ts';
import { isOpen } from '../store/phase.ts';
import { standingsOf } from '../store/run_rows.ts';
import { countRunning, registerQueue, stopTaking } from './engine_internals.ts';

/** The polling interval of the queue, of a wait for a lock, and of the run that holds it; in milliseconds. */
const INTERVAL = 500;

/** No limit: each worker that stops hands its locks over. */
const MAX_TAKEOVERS = 1_000_000_000;

/** Acquires locks for runs and holds them until the runs end; resumes runs. This takes none of the worker's jobs. */
export class Locks {
  readonly #settings: LockSettings;
  readonly #store: LockStore;
  #isStopping = false;
  #stop: () => void = () => undefined;
  readonly #stopped = new Promise<void>((resolve) => (this.#stop = resolve));

  constructor(settings: LockSettings) {
    this.#settings = settings;
    this.#store = new LockStore(settings);
  }

  /** Registers the workflow and the queue with the engine. */
  register(): void {
    const hold = (request: LockRequest): Promise<void> => this.#hold(request);
    DBOS.registerWorkflow(hold, { name: WORKFLOWS.lock, maxRecoveryAttempts: MAX_TAKEOVERS });
    registerQueue(LOCKS, { partitionConcurrency: 1, minPollingIntervalMs: INTERVAL });
  }

  /** Stops taking runs, and hands the locks over to other workers. */
  async stop(): Promise<void> {
    await stopTaking();
    this.#isStopping = true;
    this.#stop();
    // The engine does not wait for workflows it no longer owns.
    while (countRunning(LOCKS) > 0) await delay(50);
  }

  async #hold(request: LockRequest): Promise<void> {
    const own = DBOS.workflowID;
    if (own === undefined) throw new Error('outside of a workflow');
    let decision: LockState = 'waiting';
    for (;;) {
      try {
        // The engine does not record the end of a workflow it does not own.
        if (this.#isStopping) return await this.#store.giveBack(own);
        if (decision === 'waiting') decision = await this.#store.decide(own, request);
        if (decision === 'taken over') return;
        if (decision === 'acquired' && (await this.#hasEnded(request.options.workflowID))) return;
      } catch (error) {
        if (!isConnectionProblem(error)) throw error;
      }
      await Promise.race([delay(INTERVAL), this.#stopped]);
    }
  }

  async #hasEnded(id: string): Promise<boolean> {
    const [run] = await standingsOf(this.#settings.pool, [id]);
    return run === undefined || !isOpen(run.status);
  }
}
