import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { readSignals } from '../store/signals.ts';
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
    const runs = sessions.map(([run]) => run);
    const received = await readSignals(this.#pool, this.#executor, runs);
    for (const [run, session] of sessions) {
      const { isOwn = false, signals = [] } = received.get(run) ?? {};
      if (!isOwn) session.abandon();
      for (const signal of signals.slice(session.receivedSignals)) session.signal(signal);
    }
  }
}
