import type { Pool } from 'pg';
import { failure, type Result } from '../../../../src/internal.ts';
import { createPool, unreachable, urlProblem } from '../database/connection.ts';
import { hasSchema, LACKS_SCHEMA } from '../store/migrate.ts';

/** Runs a query on a new pool, and turns the failure to connect into a problem. */
export async function query<Value>(url: string, ask: (pool: Pool) => Promise<Result<Value>>): Promise<Result<Value>> {
  const refused = urlProblem(url);
  if (refused !== undefined) return failure(refused);
  const pool = createPool(url, 'workflow-plan client', 2);
  try {
    if (!(await hasSchema(pool))) return failure(LACKS_SCHEMA);
    return await ask(pool);
  } catch (error) {
    return failure(unreachable(url, error));
  } finally {
    void pool.end().catch(() => undefined);
  }
}
