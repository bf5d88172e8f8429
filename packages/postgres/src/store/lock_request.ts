import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import type { RemoteRun } from '../../../../src/internal.ts';
import { lockId, LOCKS, queueOf, WORKFLOWS } from './names.ts';
import { rowsOf } from './phase.ts';

/** The engine's options of a workflow to enqueue. */
export type EnqueueOptions = Parameters<DBOSClient['enqueue']>[0];

/** The engine's options of a run's workflow. */
export type RunOptions = Readonly<{
  workflowID: string;
  queueName: string;
  appVersion: string;
  priority: number;
  attributes: Readonly<Record<string, unknown>>;
}>;

/** The use of a lock: starting a run, or resuming the one that ended at `ended`, in milliseconds since 1970. */
export type LockUse = Readonly<{ kind: 'start'; run: RemoteRun } | { kind: 'resume'; ended: number }>;

/** The input of a lock workflow. A run without a lock uses such a workflow only to be resumed. */
export type LockRequest = Readonly<{ lock: string | null; options: RunOptions; use: LockUse }>;

export function isLockRequest(value: unknown): value is LockRequest {
  return typeof value === 'object' && value !== null && 'lock' in value && 'use' in value;
}

/** The partition of the queue: one per lock. No lock has a name with an exclamation mark. */
export function partitionOf({ lock, options }: LockRequest): string {
  return lock ?? `!${options.workflowID}`;
}

/** The options of the lock workflow of a run. `resumes` is the number of lock workflows that it has had. */
export function lockOptions(request: LockRequest, resumes: number): EnqueueOptions {
  const { options, use } = request;
  const { workflowID, appVersion, attributes } = options;
  return {
    workflowName: WORKFLOWS.lock,
    queueName: LOCKS,
    queuePartitionKey: partitionOf(request),
    workflowID: lockId(workflowID, resumes),
    appVersion,
    attributes: { ...attributes, locked: workflowID, ...(use.kind === 'resume' && { resumes: use.ended }) },
  };
}

/**
 * Asks the workers to resume an ended run, once it has its lock again. Clients need no permission to change results for
 * that. A run that was cancelled before it had its lock is started.
 */
export async function requeue(client: DBOSClient, pool: Pool, id: string): Promise<void> {
  const { run, lock } = await rowsOf(pool, id);
  const ended = run?.ended ?? null;
  const request = ended === null ? await firstRequest(client, lock?.id) : await resumeRequest(client, id, ended);
  const resumes = Number(lock?.id.split('/')[2] ?? 0) + 1;
  if (request !== undefined) await client.enqueue(lockOptions(request, resumes), request);
}

async function firstRequest(client: DBOSClient, lock = ''): Promise<LockRequest | undefined> {
  const input = (await client.getWorkflow(lock))?.input?.[0];
  return isLockRequest(input) ? input : undefined;
}

async function resumeRequest(client: DBOSClient, id: string, ended: number): Promise<LockRequest | undefined> {
  const [run] = await client.listWorkflows({ workflowIDs: [id], loadInput: false, loadOutput: false });
  const { attributes, applicationVersion, priority } = run ?? {};
  if (attributes === undefined || applicationVersion === undefined || priority === undefined) return undefined;
  const [tag, lock] = [attributes['tag'], attributes['lock']];
  const queueName = queueOf(typeof tag === 'string' ? tag : null);
  return {
    lock: typeof lock === 'string' ? lock : null,
    options: { workflowID: id, queueName, appVersion: applicationVersion, priority, attributes },
    use: { kind: 'resume', ended },
  };
}
