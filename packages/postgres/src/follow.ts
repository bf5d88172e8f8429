import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Followed, Printer } from '../../../src/driver/remote/engine.ts';
import { ClientSignals } from './client_signals.ts';
import { SCHEMA } from './connection.ts';
import { endOf, isOpen, readLog, statusOf } from './run_rows.ts';
import { describeWait } from './waiting.ts';

/** The polling interval, in milliseconds. */
const INTERVAL = 150;

/** The time in the queue after which a message explains the wait, in milliseconds. */
const QUIET_WAIT = 10_000;

/** The retry interval during an outage, and the length of outage that is reported; in milliseconds. */
const [RETRY, SILENCE] = [500, 3000];

/** The length of outage after which the client leaves, in seconds. The variable is for tests. */
const PATIENCE = Number(process.env['CLI_ON_PATIENCE'] ?? 600);

/** The exit code of a client that leaves while the run continues (EX_TEMPFAIL of sysexits.h). */
const TEMPORARY_FAILURE = 75;

/** The exit code for a run that workers have given up on. */
const BROKEN = 1;

/** The run to follow; `lock` and `tag` explain a long wait. */
export type FollowedRun = Readonly<{
  url: string;
  id: string;
  format: number;
  tag: string | null;
  lock: string | null;
  workflow: string;
}>;

/** Follows one run by polling its status and its log. */
export class Follower {
  readonly #pool: Pool;
  readonly #run: FollowedRun;
  readonly #printer: Printer;
  readonly #began = Date.now();
  #offset = 0;
  #hasStarted = false;
  #hasExplained = false;
  #left: NodeJS.Signals | undefined;
  /** The current outage of the database: its start in milliseconds since 1970, and whether it has been reported. */
  #outage: Readonly<{ since: number; isReported: boolean }> | undefined;

  constructor(pool: Pool, run: FollowedRun, printer: Printer) {
    this.#pool = pool;
    this.#run = run;
    this.#printer = printer;
  }

  /** Prints the run's output until the run ends or the client leaves. */
  async follow(): Promise<Followed> {
    const { url, id, format } = this.#run;
    const target = { pool: this.#pool, url, id, format };
    const signals = new ClientSignals(target, this.#printer, (signal) => (this.#left = signal));
    try {
      for (;;) {
        const end = await this.#poll(signals.signal);
        if (end !== undefined) return end;
        if (this.#left !== undefined) return { kind: 'ended', end: { document: '', code: 1, interrupted: this.#left } };
        if (this.#isOutageTooLong()) {
          this.#printer.say(`to see how it ended: cli runs wait ${id}`);
          return { kind: 'left', code: TEMPORARY_FAILURE };
        }
        await delay(this.#outage === undefined ? INTERVAL : RETRY);
      }
    } finally {
      signals.close();
    }
  }

  async #poll(signal: NodeJS.Signals | undefined): Promise<Followed | undefined> {
    const { id, url } = this.#run;
    try {
      const status = await statusOf(this.#pool, id);
      // A run's output is stored before its end, so a status read first cannot miss output.
      for await (const piece of readLog(this.#pool, id, this.#offset)) {
        this.#printer.log(piece);
        this.#offset += 1;
      }
      this.#hasStarted ||= status === 'PENDING' || this.#offset > 0;
      if (signal !== undefined && !this.#hasStarted && (await cancelQueued(this.#pool, id))) {
        return { kind: 'unstarted', workflow: this.#run.workflow, interrupted: signal };
      }
      await this.#explainWait();
      const end = status === undefined || isOpen(status) ? undefined : await endOf(this.#pool, url, id);
      this.#onReconnect();
      if (end === undefined) return undefined;
      if (typeof end !== 'string') return { kind: 'ended', end };
      if (status === 'CANCELLED') {
        return { kind: 'unstarted', workflow: this.#run.workflow, interrupted: signal ?? 'SIGINT' };
      }
      this.#printer.say(`run ${id} is broken: ${end}`);
      return { kind: 'left', code: BROKEN };
    } catch (error) {
      if (!isConnectionProblem(error)) throw error;
      this.#onOutage();
      return undefined;
    }
  }

  async #explainWait(): Promise<void> {
    if (this.#hasStarted || this.#hasExplained || Date.now() - this.#began < QUIET_WAIT) return;
    this.#hasExplained = true;
    const reason = await describeWait(this.#pool, this.#run);
    this.#printer.say(`run ${this.#run.id} still waits: ${reason}`);
  }

  #onOutage(): void {
    const since = this.#outage?.since ?? Date.now();
    const isLong = Date.now() - since >= SILENCE;
    if (isLong && this.#outage?.isReported !== true) {
      this.#printer.say('the connection to the database is lost; the run goes on, trying again');
    }
    this.#outage = { since, isReported: isLong };
  }

  #onReconnect(): void {
    if (this.#outage?.isReported === true) this.#printer.say('the database is back');
    this.#outage = undefined;
  }

  #isOutageTooLong(): boolean {
    return this.#outage !== undefined && Date.now() - this.#outage.since >= PATIENCE * 1000;
  }
}

/** True for errors of the connection, and for those of a server that is starting or stopping. */
function isConnectionProblem(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return /^(?:E[A-Z]+|08...|57P..|53...)$/.test(code) || /connection|timeout/i.test(error.message);
}

/** Removes a run from its queue; false if a worker has already taken it. */
export async function cancelQueued(pool: Pool, id: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE ${SCHEMA}.workflow_status SET status = 'CANCELLED', queue_name = NULL,
       completed_at = (EXTRACT(EPOCH FROM now()) * 1000)::bigint
     WHERE workflow_uuid IN ($1, $1 || '/lock') AND status = 'ENQUEUED'`,
    [id],
  );
  return rowCount !== null && rowCount > 0;
}
