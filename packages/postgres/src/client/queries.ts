import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { failure, RESUMABLE } from '../../../../src/internal.ts';
import type { Engine, Followed, Printer, RemoteEntry, Result, RunQuery, OpenRuns } from '../../../../src/internal.ts';
import { engineClient } from '../database/dbos.ts';
import { cancelQueued } from '../store/cancel_queued.ts';
import { requeue } from '../store/lock_request.ts';
import { readLog, logEnd } from '../store/run_rows.ts';
import { findRun, historyOf, listRuns, marksOf } from '../store/runs.ts';
import { sendSignal, interrupt } from '../store/signals.ts';
import { Follower, type FollowSettings } from './follow.ts';
import { query } from './query.ts';
import { describeQueue } from './submit.ts';
import { ANSWER_TIMEOUT, createPollingPool, unreachable, urlProblem } from '../database/connection.ts';
import { hasSchema, LACKS_SCHEMA } from '../store/migrate.ts';

/** The interval at which a cancelled run is polled for its end, in milliseconds. */
const INTERVAL = 200;

/** Runs a query about one run. A missing run is a problem. */
function queryRun<Value>(
  { url, id }: RunQuery,
  ask: (pool: Pool, entry: RemoteEntry) => Promise<Result<Value>>,
): Promise<Result<Value>> {
  return query(url, async (pool) => {
    const entry = await findRun(url, pool, id);
    return entry === undefined ? failure(`there is no run '${id}'`) : ask(pool, entry);
  });
}

/** A run that has ended, and whether it had ended before the cancellation. */
type Cancelled = Readonly<{ entry: RemoteEntry; wasOver: boolean }>;

const isOver = ({ state }: RemoteEntry): boolean => state !== 'queued' && state !== 'running';

/** The exit code for a run that cannot be resumed. */
const NOT_RESUMED = 1;

type Queries = Pick<Engine, 'list' | 'show' | 'logs' | 'wait' | 'cancel' | 'resume' | 'open'>;

/** The queries of the `runs` commands. */
export function queries(settings: FollowSettings): Queries {
  const follow = (about: RunQuery, entry: RemoteEntry, printer: Printer): Promise<Followed> => {
    const { workflow, tag = null, lock = null } = entry;
    return new Follower({ ...about, workflow, tag, lock }, printer, settings).follow();
  };
  return {
    list: (url) => query(url, async (pool) => ({ ok: true, value: await listRuns(url, pool) })),
    show: (about) =>
      queryRun(about, async (pool, entry) => ({ ok: true, value: await historyOf({ pool, ...about }, entry) })),
    logs: (about, print) =>
      queryRun(about, async (pool) => {
        for await (const piece of readLog(pool, about.id, 0)) print(piece);
        return { ok: true, value: null };
      }),
    wait: async (about, printer) => {
      const found = await queryRun(about, (_, entry) => Promise.resolve({ ok: true, value: entry }));
      return found.ok ? follow(about, found.value, printer) : { kind: 'refused', problems: found.problems };
    },
    resume: async (about, printer) => {
      const found = await queryRun(about, async (pool, entry) => {
        if (RESUMABLE.has(entry.state)) await requeue(await engineClient(about.url, pool), pool, about.id);
        return { ok: true, value: entry };
      });
      if (!found.ok) return { kind: 'refused', problems: found.problems };
      const { run, state, tag = null, lock = null } = found.value;
      if (!RESUMABLE.has(state)) {
        const now = state === 'succeeded' ? 'has succeeded' : `is ${state}`;
        printer.say(`run ${run} ${now}; only failed, cancelled and broken runs can be resumed`);
        return { kind: 'left', code: NOT_RESUMED };
      }
      printer.say(describeQueue(run, tag, lock));
      return follow(about, found.value, printer);
    },
    cancel: (about) =>
      queryRun<Cancelled>(about, async (pool, first) => {
        if (isOver(first)) return { ok: true, value: { entry: first, wasOver: true } };
        if (!(await cancelQueued(pool, about.id))) await sendSignal({ pool, ...about }, 'SIGINT', false);
        for (;;) {
          const entry = (await findRun(about.url, pool, about.id)) ?? first;
          if (isOver(entry)) return { ok: true, value: { entry, wasOver: false } };
          await delay(INTERVAL);
        }
      }),
    open: openRuns,
  };
}

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
async function openRuns(url: string, format: number): Promise<Result<OpenRuns>> {
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
