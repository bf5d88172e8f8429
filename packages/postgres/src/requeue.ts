import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import { inTransaction } from './connection.ts';
import { isLockRequest, lockOptions, type LockRequest } from './lock_request.ts';
import { queueOf } from './names.ts';
import { rowsOf, type LockRow, type RunRow } from './phase.ts';
import { rewind } from './rewind.ts';

/** The idle time after which the server ends the transaction of a client that hangs, in milliseconds. */
const LIMIT = 5000;

/** Returns an ended run to its queue, or to that of its lock. */
export async function requeue(client: DBOSClient, pool: Pool, id: string, tag: string | null): Promise<void> {
  const { run, lock } = await rowsOf(pool, id);
  if (lock !== undefined) await lockAgain(client, run, lock);
  else if (run !== undefined && run.ended !== null) {
    const ended = { id, ended: run.ended, queue: queueOf(tag) };
    await inTransaction(pool, LIMIT, (guard) => rewind(guard, pool, client, ended));
  }
}

/** Enqueues the next lock workflow of a run. It starts a run that was cancelled before it had its lock. */
async function lockAgain(client: DBOSClient, run: RunRow | undefined, lock: LockRow): Promise<void> {
  const input = (await client.getWorkflow(lock.id))?.input?.[0];
  if (!isLockRequest(input)) throw new Error(`the workflow ${lock.id} has another input`);
  const { options } = input;
  const ended = run?.ended ?? null;
  const request: LockRequest = ended === null ? input : { options, use: { kind: 'resume', ended } };
  const resumes = Number(lock.id.split('/')[2] ?? 0) + 1;
  await client.enqueue(lockOptions(options.attributes.lock ?? '', request, resumes), request);
}
