import type { WorkflowStatus } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import { attemptsOf, type RemoteEntry, type RemoteOp, type RunEnd } from '../../../../src/internal.ts';
import { APPLICATION, engineClient } from '../database/engine.ts';
import { takeoversOf, WORKFLOWS } from './names.ts';
import { isBeforeLock, isOpen, type LockRow, type RunRow } from './phase.ts';
import { isNextRecords, resumesOf } from './sessions.ts';

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

/** The recorded commands of a run. */
export async function opsOf(url: string, pool: Pool, id: string): Promise<readonly RemoteOp[]> {
  const steps = (await (await engineClient(url, pool)).listWorkflowSteps(id)) ?? [];
  return steps.flatMap(({ output }) => {
    if (!isNextRecords(output) || output.kind !== 'records') return [];
    return attemptsOf(output.records).flatMap(({ start: { op, what, name, attempt, at }, end }) => {
      if (end === undefined) return [];
      const ended = new Date(Date.parse(at) + end.ms).toISOString();
      return [{ op, kind: what, name, attempt, exit_code: end.exit, started: at, ended }];
    });
  });
}

function isEnd(value: unknown): value is RunEnd {
  return typeof value === 'object' && value !== null && 'code' in value && 'interrupted' in value;
}

/** The entry of a run from its workflow and its newest lock workflow. */
function entryOf(run: WorkflowStatus | undefined, lock: WorkflowStatus | undefined): RemoteEntry | undefined {
  const { attributes = {}, createdAt } = run ?? lock ?? {};
  if (createdAt === undefined) return undefined;
  const text = (name: string): string | undefined => {
    const value = attributes[name];
    return typeof value === 'string' ? value : undefined;
  };
  const [tag, key] = [text('tag'), text('lock')];
  const { submitted } = attributes;
  return {
    run: run?.workflowID ?? text('locked') ?? '',
    workflow: text('workflow') ?? '',
    state: 'queued',
    ...(tag !== undefined && { tag }),
    ...(key !== undefined && { lock: key }),
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
