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

/** A run to enqueue: the options of its workflow, and its input. */
export type RunRequest = Readonly<{
  options: Readonly<{
    workflowID: string;
    queueName: string;
    appVersion: string;
    priority: number;
    attributes: RunAttributes;
  }>;
  run: RemoteRun;
}>;

/** The options of the workflow that acquires a lock for a run. Its input is the request. */
export function lockOptions(lock: string, { options }: RunRequest): EnqueueOptions {
  const { workflowID, appVersion, attributes } = options;
  return {
    workflowName: WORKFLOWS.lock,
    queueName: LOCKS,
    queuePartitionKey: lock,
    workflowID: lockId(workflowID, 0),
    appVersion,
    attributes: { ...attributes, locked: workflowID },
  };
}
