import type { WorkflowStatus } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import { isRemoteName, type RemoteEntry, type RemoteHistory, type RemoteRun } from '../../../../src/internal.ts';
import { APPLICATION, engineClient, versionOf } from '../database/dbos.ts';
import { isEnd } from './run_rows.ts';
import { isLockRequest } from './lock_request.ts';
import { lockId, ROWS, STEPS, STREAMS, takeoversOf, WORKFLOWS } from './names.ts';
import { isBeforeLock, isOpen, type LockRow, type RunRow } from './phase.ts';
import { isNextRecords, resumesOf, sessionsOf } from './sessions.ts';
import type { SignalTarget } from './signals.ts';

/** The maximum number of runs listed. */
const LIMIT = 200;

/** The runs in the database, newest first. */
export async function listRuns(url: string, pool: Pool): Promise<readonly RemoteEntry[]> {
  const client = await engineClient(url, pool);
  const newest = { applicationName: APPLICATION, sortDesc: true, limit: LIMIT, loadInput: false };
  const runs = await client.listWorkflows({ ...newest, workflowName: WORKFLOWS.run });
  const locks = await client.listWorkflows({ ...newest, workflowName: WORKFLOWS.lock, loadOutput: false });
  const byRun = new Map(locks.toReversed().map((lock) => [lock.attributes?.['locked'], lock]));
  const known = new Set<unknown>(runs.map(({ workflowID }) => workflowID));
  return [
    ...runs.map((run) => entryOf(run, byRun.get(run.workflowID))),
    ...[...byRun].flatMap(([id, lock]) => (known.has(id) ? [] : [entryOf(undefined, lock)])),
  ]
    .flatMap((entry) => entry ?? [])
    .toSorted((a, b) => (a.submitted < b.submitted ? 1 : -1))
    .slice(0, LIMIT);
}

/** One run; undefined if it does not exist. */
export async function findRun(url: string, pool: Pool, id: string): Promise<RemoteEntry | undefined> {
  const client = await engineClient(url, pool);
  const run = await client.getWorkflow(id);
  const locks = await client.listWorkflows({
    workflowName: WORKFLOWS.lock,
    attributes: { locked: id },
    loadInput: false,
  });
  return entryOf(run?.workflowName === WORKFLOWS.run ? run : undefined, locks.at(-1));
}

/** A submitted run, and its records. */
export async function historyOf({ url, pool, id, format }: SignalTarget, entry: RemoteEntry): Promise<RemoteHistory> {
  const client = await engineClient(url, pool);
  const row = (await client.getWorkflow(id)) ?? (await client.getWorkflow(lockId(id, 0)));
  const steps = row?.workflowName === WORKFLOWS.run ? ((await client.listWorkflowSteps(id)) ?? []) : [];
  const stored = steps.map(({ output }) => (isNextRecords(output) && output.kind === 'records' ? output.records : []));
  const isReadable = row?.applicationVersion === versionOf(format);
  return {
    entry,
    run: isReadable ? submitted(row.input) : undefined,
    sessions: sessionsOf(stored, resumesOf(row?.attributes)),
  };
}

/** The run in the input of its workflow, or in that of its first lock. */
function submitted(input: readonly unknown[] = []): RemoteRun | undefined {
  const [given] = input;
  const run = isLockRequest(given) ? (given.use.kind === 'start' ? given.use.run : undefined) : given;
  return isRun(run) ? run : undefined;
}

function isRun(value: unknown): value is RemoteRun {
  return typeof value === 'object' && value !== null && 'plan' in value && 'places' in value;
}

/** A text for each of the newest runs, which changes with its rows, its records and its output. */
export async function marksOf(pool: Pool): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query(
    `SELECT coalesce(attributes->>'locked', workflow_uuid) AS id,
       concat_ws(' ', status, updated_at, executor_id, recovery_attempts,
         CASE WHEN status = 'PENDING' THEN (SELECT count(*) FROM ${STEPS} AS step WHERE step.workflow_uuid = own.workflow_uuid) END,
         CASE WHEN status = 'PENDING' THEN (SELECT max("offset") FROM ${STREAMS} AS part WHERE part.workflow_uuid = own.workflow_uuid) END
       ) AS mark
     FROM ${ROWS} AS own
     WHERE name IN ('${WORKFLOWS.run}', '${WORKFLOWS.lock}') AND application_name = $1
     ORDER BY created_at DESC LIMIT ${2 * LIMIT}`,
    [APPLICATION],
  );
  const marks = new Map<string, string>();
  for (const { id, mark } of rows) marks.set(String(id), `${marks.get(String(id)) ?? ''} ${String(mark)}`);
  return marks;
}

/** The entry of a run from its workflow and its newest lock workflow. */
function entryOf(run: WorkflowStatus | undefined, lock: WorkflowStatus | undefined): RemoteEntry | undefined {
  const { attributes = {}, createdAt } = run ?? lock ?? {};
  const { locked } = attributes;
  const id = run?.workflowID ?? locked;
  if (createdAt === undefined || typeof id !== 'string' || !isRemoteName(id)) return undefined;
  const text = (name: string): string | undefined => {
    const value = attributes[name];
    return typeof value === 'string' ? value : undefined;
  };
  const [tag, key] = [text('tag'), text('lock')];
  const { submitted } = attributes;
  return {
    run: id,
    workflow: text('workflow') ?? '',
    state: 'queued',
    ...(tag !== undefined && { tag }),
    ...(key !== undefined && { lock: key }),
    sessions: resumesOf(attributes).starts.length + 1,
    takeovers: 0,
    submitted: new Date(typeof submitted === 'number' ? submitted : createdAt).toISOString(),
    ...(lock !== undefined && isBeforeLock(rowOf(run), lockRowOf(lock)) ? waitOf(lock) : run && progressOf(run)),
  };
}

type Stage = Pick<RemoteEntry, 'state' | 'worker' | 'started' | 'ended'>;

function progressOf(run: WorkflowStatus): Stage & Pick<RemoteEntry, 'takeovers'> {
  const { executorId, recoveryAttempts = 0, dequeuedAt, completedAt } = run;
  const started = run.status === 'ENQUEUED' ? undefined : dequeuedAt;
  return {
    state: stateOf(run),
    ...(started !== undefined && executorId !== undefined && { worker: executorId.replace(/:[^:]*$/, '') }),
    takeovers: resumesOf(run.attributes).takeovers + takeoversOf(recoveryAttempts),
    ...(started !== undefined && { started: new Date(started).toISOString() }),
    ...(completedAt !== undefined && { ended: new Date(completedAt).toISOString() }),
  };
}

/** The progress of a run that waits for its lock. */
function waitOf({ status, completedAt }: WorkflowStatus): Stage {
  const state = isOpen(status) ? 'queued' : status === 'CANCELLED' ? 'cancelled' : 'broken';
  return { state, ...(completedAt !== undefined && { ended: new Date(completedAt).toISOString() }) };
}

function rowOf(run: WorkflowStatus | undefined): RunRow | undefined {
  return run && { status: run.status, attempts: run.recoveryAttempts ?? 0, ended: run.completedAt ?? null };
}

function lockRowOf({ workflowID, status, attributes }: WorkflowStatus): LockRow {
  const resumes = attributes?.['resumes'];
  return { id: workflowID, status, resumes: typeof resumes === 'number' ? resumes : null };
}

function stateOf({ status, output }: WorkflowStatus): RemoteEntry['state'] {
  switch (status) {
    case 'ENQUEUED':
    case 'DELAYED':
      return 'queued';
    case 'PENDING':
      return 'running';
    case 'CANCELLED':
      return 'cancelled';
    case 'SUCCESS':
      if (!isEnd(output)) return 'broken';
      return output.interrupted !== null ? 'cancelled' : output.code === 0 ? 'succeeded' : 'failed';
    default:
      return 'broken';
  }
}
