import type { Pool, PoolClient } from 'pg';

/** A transaction. The server ends its session if it is idle for `idleLimit` milliseconds. */
export async function inTransaction<Value>(
  pool: Pool,
  idleLimit: number,
  act: (client: PoolClient) => Promise<Value>,
): Promise<Value> {
  const client = await pool.connect();
  let problem: Error | undefined;
  try {
    await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${idleLimit}`);
    const value = await act(client);
    await client.query('COMMIT');
    return value;
  } catch (error) {
    problem = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // The pool closes a connection that is released with an error.
    client.release(problem);
  }
}
