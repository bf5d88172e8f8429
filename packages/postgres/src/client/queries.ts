import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import {
  failure,
  RESUMABLE,
  type Engine,
  type Followed,
  type Printer,
  type RemoteEntry,
  type Result,
  type RunQuery,
} from '../../../../src/internal.ts';
import { engineClient } from '../database/dbos.ts';
import { cancelQueued } from '../store/cancel_queued.ts';
import { requeue } from '../store/lock_request.ts';
import { readLog } from '../store/run_rows.ts';
import { findRun, historyOf, listRuns } from '../store/runs.ts';
import { sendSignal } from '../store/signals.ts';
import { Follower, type FollowSettings } from './follow.ts';
import { openRuns } from './open_runs.ts';
import { query } from './query.ts';
import { describeQueue } from './submit.ts';

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
