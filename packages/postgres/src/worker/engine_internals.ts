import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { dbRetryConfig } from '@dbos-inc/dbos-sdk/internal/utils';
import { registerInternalQueue } from '@dbos-inc/dbos-sdk/internal/wfqueue';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EngineIdentity } from '../database/dbos.ts';

/* The functions of the engine that are exported, but not promised. An upgrade of the engine begins here. */

export const registerQueue = registerInternalQueue;

/** Limits the pause between attempts of the engine to reconnect to the database. */
export function limitBackoff(seconds: number): void {
  dbRetryConfig.maxBackoffSec = seconds;
}

/** Stops taking workflows from queues. */
export async function stopTaking(): Promise<void> {
  await DBOSExecutor.globalInstance?.deactivateEventReceivers();
}

/** The number of this worker's active workflows from a queue. */
export function countRunning(queue: string): number {
  return DBOSExecutor.globalInstance?.systemDatabase.countRunningWorkflowsForQueue(queue) ?? 0;
}

/** The way to return the runs of a lost worker to their queues. */
export type Recovery = 'in place' | 'by launch';

/**
 * Returns the runs of a lost worker to their queues. The public way is to launch the engine with the id of the lost
 * worker, which needs a process of its own. It stays tested, in case a version of the engine lacks the function.
 */
export async function recoverRuns(lost: EngineIdentity, how: Recovery): Promise<void> {
  if (how === 'in place') {
    await DBOSExecutor.globalInstance?.recoverPendingWorkflows([lost.id]);
    return;
  }
  // The URL may contain a password, which the arguments of a process would show to every user.
  const launched = promisify(execFile)(process.execPath, [join(__dirname, 'launch_as_lost.cjs')]);
  launched.child.stdin?.end(JSON.stringify(lost));
  await launched;
}
