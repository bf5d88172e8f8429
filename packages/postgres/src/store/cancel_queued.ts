import type { Pool, PoolClient } from 'pg';
import { ROWS } from './names.ts';
import { isBeforeLock, isOpen, rowsOf } from './phase.ts';
import { inTransaction } from './transaction.ts';

/** The idle time after which the server ends the transaction of a client that hangs, in milliseconds. */
const LIMIT = 5000;

/** The statement that cancels the workflow with the id `$1`. */
function cancelling(condition: string): string {
  return `UPDATE ${ROWS} SET status = 'CANCELLED', queue_name = NULL, owner_xid = NULL,
      completed_at = (EXTRACT(EPOCH FROM now()) * 1000)::bigint
    WHERE workflow_uuid = $1 AND ${condition}`;
}

/** Removes a run from its queue, or from that of its lock; false if a worker has already taken it. */
export async function cancelQueued(pool: Pool, id: string): Promise<boolean> {
  const isFresh = "status = 'ENQUEUED' AND recovery_attempts = 0";
  const { rowCount } = await pool.query(cancelling(isFresh), [id]);
  if (rowCount === 1) return true;
  return inTransaction(pool, LIMIT, (client) => cancelLock(client, id));
}

/** Cancels the wait for a lock. With its row locked, the wait cannot end meanwhile. */
async function cancelLock(client: PoolClient, id: string): Promise<boolean> {
  const { lock } = await rowsOf(client, id);
  if (lock === undefined) return false;
  await client.query(`SELECT 1 FROM ${ROWS} WHERE workflow_uuid = $1 FOR UPDATE`, [lock.id]);
  const held = await rowsOf(client, id);
  if (!isBeforeLock(held.run, held.lock) || !isOpen(held.lock.status)) return false;
  await client.query(cancelling('true'), [lock.id]);
  return true;
}
