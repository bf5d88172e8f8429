import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { RemoteRun } from '../../../src/driver/remote/engine.ts';
import { lockId, LOCKS, WORKFLOWS } from './names.ts';

/** The engine's options of a workflow to enqueue. */
export type EnqueueOptions = Parameters<DBOSClient['enqueue']>[0];

/** The attributes of a run's workflows in the database. `submitted` is in milliseconds since 1970. */
export type RunAttributes = Readonly<{
  submitter: string;
  digest: string;
  workflow: string;
  tag: string | null;
  lock: string | null;
  submitted?: number;
}>;

/** The engine's options of a run's workflow. */
export type RunOptions = Readonly<{
  workflowID: string;
  queueName: string;
  appVersion: string;
  priority: number;
  attributes: RunAttributes;
}>;

/** The use of a lock: starting a run, or resuming the one that ended at `ended`, in milliseconds since 1970. */
export type LockUse = Readonly<{ kind: 'start'; run: RemoteRun } | { kind: 'resume'; ended: number }>;

/** The input of a lock workflow. */
export type LockRequest = Readonly<{ options: RunOptions; use: LockUse }>;

export function isLockRequest(value: unknown): value is LockRequest {
  return typeof value === 'object' && value !== null && 'options' in value && 'use' in value;
}

/** The options of the lock workflow of a run. `resumes` is the number of lock workflows that it has had. */
export function lockOptions(lock: string, { options, use }: LockRequest, resumes: number): EnqueueOptions {
  const { workflowID, appVersion, attributes } = options;
  return {
    workflowName: WORKFLOWS.lock,
    queueName: LOCKS,
    queuePartitionKey: lock,
    workflowID: lockId(workflowID, resumes),
    appVersion,
    attributes: { ...attributes, locked: workflowID, ...(use.kind === 'resume' && { resumes: use.ended }) },
  };
}
