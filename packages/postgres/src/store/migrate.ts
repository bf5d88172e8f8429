import { DBOS } from '@dbos-inc/dbos-sdk';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { connect } from '../database/connection.ts';
import { SCHEMA } from '../database/dbos.ts';
import { ROWS } from './names.ts';

/** The key of the advisory lock that serialises migrations. */
const MIGRATION_LOCK = 7_160_416_255;

/** The message for a database without the tables of this version. */
export const LACKS_SCHEMA = 'the database lacks the schema; start a worker once as its owner';

/** Whether the database has the engine's tables. */
export async function hasSchema(client: Pick<ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query('SELECT to_regclass($1) AS found', [ROWS]);
  return rows[0]?.found !== null;
}

/**
 * Migrates the schema, one worker at a time, and returns a problem, if any. Concurrent migrations collide. The lock is
 * polled because a session blocked on a lock would deadlock with `CREATE INDEX CONCURRENTLY`.
 */
export async function migrate(url: string): Promise<string | undefined> {
  const client = await connect(url, 'workflow-plan migration');
  try {
    while (!(await hasLock(client))) await delay(100);
    try {
      await DBOS.migrate(url, { schemaName: SCHEMA });
    } catch (error) {
      // A worker without the right to migrate uses the existing schema.
      if (!(await hasSchema(client))) return isDenied(error) ? LACKS_SCHEMA : `${LACKS_SCHEMA} (${String(error)})`;
      if (!isDenied(error)) throw error;
    }
    return undefined;
  } finally {
    await client.end();
  }
}

async function hasLock(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS held', [MIGRATION_LOCK]);
  return rows[0]?.held === true;
}

/** SQLSTATE 42501: insufficient_privilege. */
function isDenied(error: unknown): boolean {
  return (
    error instanceof Error && (('code' in error && error.code === '42501') || /permission denied/.test(error.message))
  );
}
