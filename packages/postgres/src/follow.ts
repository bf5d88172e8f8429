import { DBOSClient } from '@dbos-inc/dbos-sdk';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Followed, Printer, RunEnd, Submission } from '../../../src/driver/remote/engine.ts';
import { APPLICATION, SCHEMA } from './connection.ts';
import { LOG } from './names.ts';
import { NO_LOG } from './no_log.ts';

/** How often the database is looked at, in milliseconds. */
const INTERVAL = 150;

/** How many pieces of output are read at a time. */
const BATCH = 64;

/** Prints the output of a run until it has ended. */
export async function follow(
  pool: Pool,
  id: string,
  { url }: Pick<Submission, 'url'>,
  printer: Printer,
): Promise<Followed> {
  let offset = 0;
  for (;;) {
    const status = await statusOf(pool, id);
    // What is printed is stored before the end.
    for (;;) {
      const pieces = await readLog(pool, id, offset);
      for (const piece of pieces) printer.log(piece);
      offset += pieces.length;
      if (pieces.length < BATCH) break;
    }
    if (status !== undefined && !['ENQUEUED', 'PENDING', 'DELAYED'].includes(status)) break;
    await delay(INTERVAL);
  }
  return { kind: 'ended', end: await endOf(pool, url, id) };
}

async function statusOf(pool: Pool, id: string): Promise<string | undefined> {
  const { rows } = await pool.query(`SELECT status FROM ${SCHEMA}.workflow_status WHERE workflow_uuid = $1`, [id]);
  return rows[0] === undefined ? undefined : String(rows[0].status);
}

async function readLog(pool: Pool, id: string, offset: number): Promise<readonly Buffer[]> {
  const { rows } = await pool.query(
    `SELECT value FROM ${SCHEMA}.streams WHERE workflow_uuid = $1 AND key = $2 AND "offset" >= $3
     ORDER BY "offset" LIMIT ${BATCH}`,
    [id, LOG, offset],
  );
  return rows.map(({ value }) => {
    const text: unknown = JSON.parse(String(value));
    return Buffer.from(String(text), 'base64');
  });
}

async function endOf(pool: Pool, url: string, id: string): Promise<RunEnd> {
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: SCHEMA,
    applicationName: APPLICATION,
    logger: NO_LOG,
  });
  return client.retrieveWorkflow<RunEnd>(id).getResult();
}
