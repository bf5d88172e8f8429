import { DBOS } from '@dbos-inc/dbos-sdk';
import { dbRetryConfig } from '@dbos-inc/dbos-sdk/internal/utils';
import { registerInternalQueue } from '@dbos-inc/dbos-sdk/internal/wfqueue';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { RunRecord } from '../../../../src/backend/replay/run_record.ts';
import type { Printer, RemoteRun, RunEnd, WorkerSettings } from '../../../../src/driver/remote/engine.ts';
import { createPool, SCHEMA, unreachable, untilReachable, urlProblem } from '../database/connection.ts';
import { FailureLog } from '../database/engine_log.ts';
import { migrate } from '../database/migrate.ts';
import { LOG, MAX_TAKEOVERS, queueOf, takeoversOf, WORKFLOWS } from '../store/names.ts';
import { resumesOf } from '../store/resume_point.ts';
import { removeOldRuns } from '../store/retention.ts';
import { workerLabel } from '../store/waiting.ts';
import { engineConfig } from './engine_config.ts';
import { endLeftovers } from './leftovers.ts';
import { Liveness } from './liveness.ts';
import { Locks } from './lock.ts';
import { RunSession } from './run_session.ts';
import { SignalPoll } from './signal_poll.ts';

/** The longest pause between attempts to reconnect to the database, in seconds. */
const MAX_BACKOFF = 10;

/** The polling interval of a queue, in milliseconds. */
const POLL = 500;

/** The least and the most time between a second signal and the exit of the worker, in milliseconds. */
const [HANDOVER, END_LIMIT] = [1500, 15_000];

/** Takes runs until a signal arrives; returns the exit code. */
export async function work(settings: WorkerSettings, { say }: Printer): Promise<number> {
  const { url, name, format } = settings;
  const refused = urlProblem(url) ?? (await migrateOr(url));
  if (refused !== undefined) {
    say(refused);
    return 2;
  }
  const id = `${name}:${randomUUID()}`;
  const pool = createPool(url, `workflow-plan engine ${name}`, 2);
  const sessions = new Map<string, RunSession>();
  const poll = new SignalPoll(pool, id, sessions);
  const log = new FailureLog();
  const locks = new Locks({ url, pool, executor: id });
  locks.register();
  const queues = [...(settings.untagged ? [queueOf(null)] : []), ...settings.tags.map((tag) => queueOf(tag))];
  const label = workerLabel(name, queues, settings.jobs);
  const liveness = new Liveness({ url, id, format, name: label, lease: settings.lease, say });
  registerRun(settings, pool, sessions, () => liveness.onStored());
  for (const queue of queues) {
    registerInternalQueue(queue, { workerConcurrency: settings.jobs, minPollingIntervalMs: POLL });
  }
  dbRetryConfig.maxBackoffSec = MAX_BACKOFF;
  DBOS.setConfig({ ...engineConfig({ url, id, format }), systemDatabasePool: pool, logger: log });
  const stopped = untilSignal(() => Promise.all([...sessions.values()].map((session) => session.giveBack())));
  try {
    await endLeftovers(pool, settings.env);
    await liveness.open();
    // The engine itself would try again for ever.
    const failed = new Promise<never>((_, reject) => (log.onFailure = (reason) => reject(new Error(reason))));
    await Promise.race([DBOS.launch(), failed]);
  } catch (error) {
    say(unreachable(url, error));
    return 2;
  }
  log.onFailure = (reason) => liveness.onNotStored(reason);
  poll.begin();
  void removeOldRuns({ url, pool, keep: settings.keep });
  say(`worker '${name}' is ready: it takes runs ${describeTags(settings)}`);
  await stopped.first;
  const ended = locks.stop().then(() => DBOS.shutdown({ workflowCompletionTimeoutMS: 2 ** 31 - 1 }));
  await Promise.race([ended, stopped.second]);
  poll.end();
  await liveness.close();
  return 0;
}

async function migrateOr(url: string): Promise<string | undefined> {
  try {
    return await migrate(url);
  } catch (error) {
    return unreachable(url, error);
  }
}

function describeTags({ tags, untagged }: WorkerSettings): string {
  const named = tags.length === 0 ? '' : `with the ${tags.length === 1 ? 'tag' : 'tags'} '${tags.join("', '")}'`;
  return [named, ...(untagged ? ['without a tag'] : [])].filter((text) => text !== '').join(', or ');
}

/**
 * `first` settles at the first signal. `second` settles after the second one: when `onSecond` has settled and locks had
 * time to be handed over, or at the limit.
 */
function untilSignal(onSecond: () => Promise<unknown>): Readonly<{ first: Promise<void>; second: Promise<void> }> {
  let count = 0;
  const resolvers: (() => void)[] = [];
  const at = (index: number): Promise<void> => new Promise((resolve) => (resolvers[index] = resolve));
  const [first, second] = [at(0), at(1)];
  const onSignal = (): void => {
    count += 1;
    if (count === 2) {
      const ended = Promise.all([onSecond(), delay(HANDOVER)]);
      void Promise.race([ended, delay(END_LIMIT)]).then(() => resolvers[1]?.());
    } else resolvers[0]?.();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  return { first, second };
}

/** Registers the engine workflow that executes a run. */
function registerRun(
  settings: WorkerSettings,
  pool: Pool,
  sessions: Map<string, RunSession>,
  onStored: () => void,
): void {
  const carryOut = async (run: RemoteRun): Promise<RunEnd> => {
    const id = DBOS.workflowID;
    if (id === undefined) throw new Error('outside of a workflow');
    const records: RunRecord[] = [];
    let session: RunSession | undefined;
    try {
      for (;;) {
        const next = await DBOS.runStep(
          async () => {
            session ??= await openSession(settings, pool, id, run);
            sessions.set(id, session);
            return session.next(records);
          },
          { name: 'op' },
        );
        onStored();
        if (next.kind === 'end') return next.end;
        records.push(next.record);
        session?.acknowledge();
      }
    } finally {
      session?.abandon();
      if (sessions.get(id) === session) sessions.delete(id);
    }
  };
  DBOS.registerWorkflow(carryOut, { name: WORKFLOWS.run, maxRecoveryAttempts: MAX_TAKEOVERS });
}

async function openSession(
  { runProcess: command, env, name: worker, ownPlans }: WorkerSettings,
  pool: Pool,
  id: string,
  run: RemoteRun,
): Promise<RunSession> {
  // An error here would be the result of the run.
  const { rows } = await untilReachable(() =>
    pool.query(
      `SELECT recovery_attempts AS attempts, attributes FROM ${SCHEMA}.workflow_status WHERE workflow_uuid = $1`,
      [id],
    ),
  );
  const takeovers = takeoversOf(Number(rows[0]?.attempts ?? 1));
  const resumes = resumesOf(rows[0]?.attributes);
  const { CLI_ON: _, ...own } = env;
  return new RunSession({
    id,
    run,
    worker,
    takeovers,
    resumes,
    ownPlans,
    command,
    cwd: process.cwd(),
    env: { ...own, CLI_REMOTE_RUN: id, CLI_REMOTE_FENCE: String(resumes.fence + takeovers) },
    writeLog: (piece) => DBOS.writeStream(LOG, piece.toString('base64'), { serializationType: 'portable' }),
  });
}
