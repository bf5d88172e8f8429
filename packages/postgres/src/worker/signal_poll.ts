import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { SCHEMA } from '../database/connection.ts';
import { signalIds, signalOf } from '../store/names.ts';
import type { RunSession } from './run_session.ts';

/** The polling interval, in milliseconds. */
const INTERVAL = 300;

/** Delivers stored signals to this worker's runs, and abandons runs that another worker has taken over. */
export class SignalPoll {
  readonly #pool: Pool;
  readonly #executor: string;
  readonly #sessions: ReadonlyMap<string, RunSession>;
  #isOver = false;

  constructor(pool: Pool, executor: string, sessions: ReadonlyMap<string, RunSession>) {
    this.#pool = pool;
    this.#executor = executor;
    this.#sessions = sessions;
  }

  begin(): void {
    void this.#loop();
  }

  end(): void {
    this.#isOver = true;
  }

  async #loop(): Promise<void> {
    while (!this.#isOver) {
      // During an outage, the engine waits for the database.
      if (this.#sessions.size > 0) await this.#poll([...this.#sessions]).catch(() => undefined);
      await delay(INTERVAL);
    }
  }

  async #poll(sessions: readonly (readonly [string, RunSession])[]): Promise<void> {
    const ids = sessions.flatMap(([id]) => [id, ...signalIds(id)]);
    const { rows } = await this.#pool.query(
      `SELECT workflow_uuid AS id, executor_id AS executor, status FROM ${SCHEMA}.workflow_status
       WHERE workflow_uuid = ANY($1) ORDER BY created_at, workflow_uuid`,
      [ids],
    );
    for (const [run, session] of sessions) {
      const own = rows.find(({ id }) => id === run);
      if (own?.status !== 'PENDING' || own.executor !== this.#executor) session.abandon();
      const signals = rows.flatMap(({ id }) => (String(id).startsWith(`${run}!`) ? (signalOf(String(id)) ?? []) : []));
      for (const signal of signals.slice(session.receivedSignals)) session.signal(signal);
    }
  }
}
