import type { Pool } from 'pg';
import type { QueryResult } from '../../../../src/internal.ts';
import { createPool, unreachable, urlProblem } from '../database/connection.ts';
import { hasSchema, LACKS_SCHEMA } from '../store/migrate.ts';

/** Runs a query on a new pool, and turns the failure to connect into a problem. */
export async function query<Value>(
  url: string,
  ask: (pool: Pool) => Promise<QueryResult<Value>>,
): Promise<QueryResult<Value>> {
  const refused = urlProblem(url);
  if (refused !== undefined) return { ok: false, problem: refused };
  const pool = createPool(url, 'workflow-plan client', 2);
  try {
    if (!(await hasSchema(pool))) return { ok: false, problem: LACKS_SCHEMA };
    return await ask(pool);
  } catch (error) {
    return { ok: false, problem: unreachable(url, error) };
  } finally {
    void pool.end().catch(() => undefined);
  }
}
