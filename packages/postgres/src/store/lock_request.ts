import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { RemoteRun } from '../../../../src/driver/remote/engine.ts';
import { lockId, LOCKS, WORKFLOWS } from './names.ts';

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
