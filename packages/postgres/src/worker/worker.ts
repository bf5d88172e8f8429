import { DBOS } from '@dbos-inc/dbos-sdk';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { endUnattended, findUnattended, isRemoteName } from '../../../../src/internal.ts';
import type { Printer, RemoteRun, RunEnd, UnattendedRun, WorkerSettings } from '../../../../src/internal.ts';
import { createPool, unreachable, untilReachable, urlProblem } from '../database/connection.ts';
import { engineConfig, FailureLog } from '../database/dbos.ts';
import { migrate } from '../store/migrate.ts';
import { LOG, MAX_TAKEOVERS, queueOf, takeoversOf, WORKFLOWS } from '../store/names.ts';
import { removeOldRuns } from '../store/retention.ts';
import { standingsOf } from '../store/run_rows.ts';
import { NO_RESUMES, type StoredRecords } from '../store/sessions.ts';
import { workerLabel } from '../store/workers.ts';
import { limitBackoff, registerQueue } from './engine_internals.ts';
import { Liveness, type LossSettings } from './liveness.ts';
import { Locks } from './lock.ts';
import { RunSession } from './run_session.ts';
import { pollSignals } from './signal_poll.ts';

/** The longest pause between attempts to reconnect to the database, in seconds. */
const MAX_BACKOFF = 10;

/** The polling interval of a queue, in milliseconds. */
const POLL = 500;

/** The least and the most time between a second signal and the exit of the worker, in milliseconds. */
const [HANDOVER, END_LIMIT] = [1500, 15_000];

/** The MiB of a run's output up to which all of it is kept. */
export type OutputSettings = Readonly<{ maxOutput: number }>;

/** Takes runs until a signal arrives; returns the exit code. */
export async function work(
  settings: WorkerSettings,
  { say }: Printer,
  { maxOutput, ...loss }: LossSettings & OutputSettings,
): Promise<number> {
  const { url, name, format } = settings;
  const refused = urlProblem(url) ?? (await migrateOr(url));
  if (refused !== undefined) {
    say(refused);
    return 2;
  }
  const id = `${name}:${randomUUID()}`;
  const pool = createPool(url, `workflow-plan engine ${name}`, 2);
  const sessions = new Map<string, RunSession>();
  const log = new FailureLog();
  const locks = new Locks({ url, pool, executor: id });
  locks.register();
  const queues = [...(settings.untagged ? [queueOf(null)] : []), ...settings.tags.map((tag) => queueOf(tag))];
  const label = workerLabel(name, queues, settings.jobs);
  const hasRun = (run: string): boolean => sessions.has(run);
  const liveness = new Liveness({ ...loss, url, id, format, name: label, lease: settings.lease, hasRun, say });
  registerRun({ ...settings, maxOutput }, pool, sessions, liveness);
  for (const queue of queues) {
    registerQueue(queue, { workerConcurrency: settings.jobs, minPollingIntervalMs: POLL });
  }
  limitBackoff(MAX_BACKOFF);
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
  const endPoll = pollSignals(pool, id, sessions);
  void removeOldRuns({ url, pool, keep: settings.keep });
  say(`worker '${name}' is ready: it takes runs ${describeTags(settings)}`);
  await stopped.first;
  const ended = locks.stop().then(() => DBOS.shutdown({ workflowCompletionTimeoutMS: 2 ** 31 - 1 }));
  await Promise.race([ended, stopped.second]);
  endPoll();
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

/**
 * Ends the processes on this host of runs whose worker and own process were killed together: runs that are not over, and
 * those that another worker has taken over. A process that a finished run has left running goes on.
 */
async function endLeftovers(pool: Pool, env: WorkerSettings['env']): Promise<void> {
  const found = await findUnattended(env);
  if (found.length === 0) return;
  const standings = await standingsOf(
    pool,
    found.map(({ run }) => run),
  );
  const isLost = ({ run, fence }: UnattendedRun): boolean =>
    standings.some(({ id, attempts, resumes, status }) => {
      // An earlier session ended in order.
      const first = resumes.fence;
      const current = first + Math.max(0, attempts - 1);
      return id === run && fence >= first && (fence < current || (fence === current && status === 'PENDING'));
    });
  if (found.some((run) => isLost(run))) await endUnattended(env, isLost);
}

/** Registers the engine workflow that executes a run. */
function registerRun(
  settings: WorkerSettings & OutputSettings,
  pool: Pool,
  sessions: Map<string, RunSession>,
  liveness: Liveness,
): void {
  const carryOut = async (run: RemoteRun): Promise<RunEnd> => {
    const id = DBOS.workflowID;
    if (id === undefined) throw new Error('outside of a workflow');
    if (!isRemoteName(id)) throw new Error('its id is not that of a run');
    const stored: StoredRecords[] = [];
    let session: RunSession | undefined;
    try {
      for (;;) {
        const next = await DBOS.runStep(
          async () => {
            session ??= await openSession(settings, pool, id, run);
            sessions.set(id, session);
            liveness.onBegun(id);
            return session.next(stored);
          },
          { name: 'op' },
        );
        liveness.onStored();
        if (next.kind === 'end') return next.end;
        stored.push(next.records);
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
  { runProcess: command, readMessage, format, env, name: worker, ownPlans, maxOutput }: WorkerSettings & OutputSettings,
  pool: Pool,
  id: string,
  run: RemoteRun,
): Promise<RunSession> {
  // An error here would be the result of the run.
  const [standing] = await untilReachable(() => standingsOf(pool, [id]));
  const { attempts = 1, resumes = NO_RESUMES } = standing ?? {};
  const takeovers = takeoversOf(attempts);
  const { CLI_ON: _, ...own } = env;
  return new RunSession({
    id,
    run,
    planFormat: format,
    worker,
    takeovers,
    resumes,
    ownPlans,
    maxOutput,
    command,
    readMessage,
    cwd: process.cwd(),
    env: { ...own, CLI_REMOTE_RUN: id, CLI_REMOTE_FENCE: String(resumes.fence + takeovers) },
    writeLog: (piece) => DBOS.writeStream(LOG, piece.toString('base64'), { serializationType: 'portable' }),
  });
}
