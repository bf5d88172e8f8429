import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { failure, type OpenRuns, type Result } from '../../../../src/internal.ts';
import { ANSWER_TIMEOUT, createPollingPool, unreachable, urlProblem } from '../database/connection.ts';
import { cancelQueued } from '../store/cancel_queued.ts';
import { hasSchema, LACKS_SCHEMA } from '../store/migrate.ts';
import { logEnd } from '../store/run_rows.ts';
import { findRun, historyOf, listRuns, marksOf } from '../store/runs.ts';
import { interrupt } from '../store/signals.ts';

/** Asks through the engine's client, which tries again without end: fails at once if there is no database, or in time. */
async function ask<Value>(pool: Pool, through: () => Promise<Value>): Promise<Value> {
  await hasSchema(pool);
  const answered = new AbortController();
  const { signal } = answered;
  const late = delay(ANSWER_TIMEOUT, undefined, { signal }).then(() => {
    throw new Error('the database does not answer');
  });
  try {
    return await Promise.race([through(), late]);
  } finally {
    answered.abort();
  }
}

/** Opens the runs in a database for a process that shows them for as long as it lives, and survives an outage. */
export async function openRuns(url: string, format: number): Promise<Result<OpenRuns>> {
  const refused = urlProblem(url);
  if (refused !== undefined) return failure(refused);
  const pool = createPollingPool(url, 'workflow-plan page');
  const close = (): void => void pool.end().catch(() => undefined);
  const refuse = (problem: string): Result<never> => {
    close();
    return failure(problem);
  };
  try {
    if (!(await hasSchema(pool))) return refuse(LACKS_SCHEMA);
  } catch (error) {
    return refuse(unreachable(url, error));
  }
  const value: OpenRuns = {
    list: () => ask(pool, () => listRuns(url, pool)),
    marks: () => marksOf(pool),
    find: (id) =>
      ask(pool, async () => {
        const entry = await findRun(url, pool, id);
        return entry && historyOf({ url, pool, id, format }, entry);
      }),
    logEnd: (id, limit) => logEnd(pool, id, limit),
    interrupt: (id) =>
      ask(pool, async () => {
        if (!(await cancelQueued(pool, id))) await interrupt({ url, pool, id, format });
      }),
    close,
  };
  return { ok: true, value };
}
