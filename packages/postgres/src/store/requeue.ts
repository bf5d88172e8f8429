import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import { isLockRequest, lockOptions, type LockRequest } from './lock_request.ts';
import { queueOf } from './names.ts';
import { rowsOf } from './phase.ts';

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
