import type { Pool } from 'pg';
import { engineClient, versionOf } from '../database/dbos.ts';
import { ROWS, SIGNALS, WORKFLOWS } from './names.ts';

/** The signals that a client forwards. */
export const CLIENT_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The id of a run's signal. The second signal forces the run to stop. */
function signalId(run: string, signal: NodeJS.Signals, isSecond: boolean): string {
  return `${run}!${signal}${isSecond ? '!again' : ''}`;
}

/** The ids of all signals that a run may receive. */
export function signalIds(run: string): readonly string[] {
  return CLIENT_SIGNALS.flatMap((signal) => [signalId(run, signal, false), signalId(run, signal, true)]);
}

/** The signal that an id stands for. */
export function signalOf(id: string): NodeJS.Signals | undefined {
  const name = id.split('!')[1];
  return CLIENT_SIGNALS.find((signal) => signal === name);
}

/** The run to signal, its database, and the number of the plan's format. */
export type SignalTarget = Readonly<{ pool: Pool; url: string; id: string; format: number }>;

/** Stores a signal for a run. The run's worker delivers it. */
export async function sendSignal(
  { pool, url, id, format }: SignalTarget,
  signal: NodeJS.Signals,
  isSecond: boolean,
): Promise<void> {
  const client = await engineClient(url, pool);
  const workflowID = signalId(id, signal, isSecond);
  await client.enqueue({
    workflowName: WORKFLOWS.signal,
    queueName: SIGNALS,
    workflowID,
    appVersion: versionOf(format),
  });
}

/** Interrupts a run as Ctrl-C does: the second time, its worker ends it at once. */
export async function interrupt(target: SignalTarget): Promise<void> {
  const client = await engineClient(target.url, target.pool);
  const first = await client.getWorkflow(signalId(target.id, 'SIGINT', false));
  await sendSignal(target, 'SIGINT', first !== undefined);
}

/** The signals to a run, oldest first. `isOwn`: the worker that asks still has the run. */
export type Received = Readonly<{ isOwn: boolean; signals: readonly NodeJS.Signals[] }>;

/** The signals to runs of the worker with the id `executor`. */
export async function readSignals(
  pool: Pool,
  executor: string,
  runs: readonly string[],
): Promise<ReadonlyMap<string, Received>> {
  const { rows } = await pool.query(
    `SELECT workflow_uuid AS id, executor_id AS executor, status FROM ${ROWS}
     WHERE workflow_uuid = ANY($1) ORDER BY created_at, workflow_uuid`,
    [runs.flatMap((run) => [run, ...signalIds(run)])],
  );
  const receivedBy = (run: string): Received => {
    const own = rows.find(({ id }) => id === run);
    const ids = rows.map(({ id }) => String(id)).filter((id) => id.startsWith(`${run}!`));
    return {
      isOwn: own?.status === 'PENDING' && own.executor === executor,
      signals: ids.flatMap((id) => signalOf(id) ?? []),
    };
  };
  return new Map(runs.map((run) => [run, receivedBy(run)]));
}
