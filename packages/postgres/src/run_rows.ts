import { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import type { RunEnd } from '../../../src/driver/remote/engine.ts';
import { APPLICATION, SCHEMA } from './connection.ts';
import { LOG } from './names.ts';
import { NO_LOG } from './no_log.ts';

/** How many pieces of output are read at a time. */
const BATCH = 64;

/** A client of the engine on a pool. */
export function engineClient(url: string, pool: Pool): Promise<DBOSClient> {
  return DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: SCHEMA,
    applicationName: APPLICATION,
    logger: NO_LOG,
  });
}

/** The engine's status of a run or of its lock; undefined if there is none. */
export async function statusOf(pool: Pool, id: string): Promise<string | undefined> {
  const { rows } = await pool.query(`SELECT status FROM ${SCHEMA}.workflow_status WHERE workflow_uuid = $1`, [id]);
  return rows[0] === undefined ? undefined : String(rows[0].status);
}

/** Whether a run with this status has not ended. */
export function isOpen(status: string): boolean {
  return ['ENQUEUED', 'PENDING', 'DELAYED'].includes(status);
}

/** All pieces of a run's output from an offset on. */
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

/** The end of a run that has ended, or why it is broken. */
export async function endOf(pool: Pool, url: string, id: string): Promise<RunEnd | string> {
  const client = await engineClient(url, pool);
  try {
    return await client.retrieveWorkflow<RunEnd>(id).getResult();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
