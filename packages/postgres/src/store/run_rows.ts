import { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import type { RunEnd } from '../../../../src/driver/remote/engine.ts';
import { APPLICATION, SCHEMA } from '../database/connection.ts';
import { NO_LOG } from '../database/engine_log.ts';
import { LOG } from './names.ts';

/** The number of pieces of output per query. */
const BATCH = 64;

/** An engine client that uses the given pool. */
export function engineClient(url: string, pool: Pool): Promise<DBOSClient> {
  return DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: SCHEMA,
    applicationName: APPLICATION,
    logger: NO_LOG,
  });
}

/** The pieces of a run's output, from a given piece onwards. */
export async function* readLog(pool: Pool, id: string, start: number): AsyncGenerator<Buffer> {
  for (let offset = start; ; offset += BATCH) {
    const { rows } = await pool.query(
      `SELECT value FROM ${SCHEMA}.streams WHERE workflow_uuid = $1 AND key = $2 AND "offset" >= $3
       ORDER BY "offset" LIMIT ${BATCH}`,
      [id, LOG, offset],
    );
    for (const { value } of rows) {
      const text: unknown = JSON.parse(String(value));
      yield Buffer.from(String(text), 'base64');
    }
    if (rows.length < BATCH) return;
  }
}

/** The end of a run that is over, or the reason why it is broken. */
export async function endOf(pool: Pool, url: string, id: string): Promise<RunEnd | string> {
  const client = await engineClient(url, pool);
  try {
    return await client.retrieveWorkflow<RunEnd>(id).getResult();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
