import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { readSignals } from '../store/signals.ts';
import type { RunSession } from './run_session.ts';

/** The polling interval, in milliseconds. */
const INTERVAL = 300;

/**
 * Delivers stored signals to the runs of the worker with the id `executor`, and abandons runs that another worker has
 * taken over, until the returned function is called.
 */
export function pollSignals(pool: Pool, executor: string, sessions: ReadonlyMap<string, RunSession>): () => void {
  const over = new AbortController();
  const poll = async (): Promise<void> => {
    const current = [...sessions];
    const received = await readSignals(
      pool,
      executor,
      current.map(([run]) => run),
    );
    for (const [run, session] of current) {
      const { isOwn = false, signals = [] } = received.get(run) ?? {};
      if (!isOwn) session.abandon();
      for (const signal of signals.slice(session.receivedSignals)) session.signal(signal);
    }
  };
  const loop = async (): Promise<void> => {
    while (!over.signal.aborted) {
      // During an outage, the engine waits for the database.
      if (sessions.size > 0) await poll().catch(() => undefined);
      await delay(INTERVAL);
    }
  };
  void loop();
  return () => over.abort();
}
