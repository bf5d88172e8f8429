import type { WorkflowStatus } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import type { NextRecord } from './run_session.ts';
import type { RemoteEntry, RemoteOp, RunEnd } from '../../../src/driver/remote/engine.ts';
import { APPLICATION } from './connection.ts';
import { engineClient } from './run_rows.ts';
import { WORKFLOWS } from './names.ts';

/** The maximum number of runs listed. */
const LIMIT = 200;

/** The runs in the database, newest first. */
export async function listRuns(url: string, pool: Pool): Promise<readonly RemoteEntry[]> {
  const client = await engineClient(url, pool);
  const found = await client.listWorkflows({
    workflowName: WORKFLOWS.run,
    applicationName: APPLICATION,
    sortDesc: true,
    limit: LIMIT,
    loadInput: false,
  });
  return found.map((status) => entryOf(status));
}

/** One run; undefined if it does not exist. */
export async function findRun(url: string, pool: Pool, id: string): Promise<RemoteEntry | undefined> {
  const status = await (await engineClient(url, pool)).getWorkflow(id);
  return status?.workflowName === WORKFLOWS.run ? entryOf(status) : undefined;
}

/** The recorded commands of a run. */
export async function opsOf(url: string, pool: Pool, id: string): Promise<readonly RemoteOp[]> {
  const steps = (await (await engineClient(url, pool)).listWorkflowSteps(id)) ?? [];
  return steps.flatMap(({ output }) => {
    if (!isNextRecord(output) || output.kind !== 'record' || output.record.kind !== 'op') return [];
    const { op, what, name, attempt, exit, started, ended } = output.record;
    const code = 'code' in exit ? exit.code : null;
    const times = { started: new Date(started).toISOString(), ended: new Date(ended).toISOString() };
    return [{ op, kind: what, name, attempt, exit_code: code, ...times }];
  });
}

function isNextRecord(value: unknown): value is NextRecord {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

function isEnd(value: unknown): value is RunEnd {
  return typeof value === 'object' && value !== null && 'code' in value && 'interrupted' in value;
}

function entryOf(status: WorkflowStatus): RemoteEntry {
  const { attributes = {}, executorId, recoveryAttempts = 0, createdAt, dequeuedAt, completedAt } = status;
  const text = (name: string): string | undefined => {
    const value = attributes[name];
    return typeof value === 'string' ? value : undefined;
  };
  const [tag, lock] = [text('tag'), text('lock')];
  const started = status.status === 'ENQUEUED' ? undefined : dequeuedAt;
  return {
    run: status.workflowID,
    workflow: text('workflow') ?? '',
    state: stateOf(status),
    ...(tag !== undefined && { tag }),
    ...(lock !== undefined && { lock }),
    ...(started !== undefined && executorId !== undefined && { worker: executorId.replace(/:[^:]*$/, '') }),
    takeovers: Math.max(0, recoveryAttempts - 1),
    submitted: new Date(createdAt).toISOString(),
    ...(started !== undefined && { started: new Date(started).toISOString() }),
    ...(completedAt !== undefined && { ended: new Date(completedAt).toISOString() }),
  };
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
