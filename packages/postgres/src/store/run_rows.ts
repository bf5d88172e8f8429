import type { Pool } from 'pg';
import type { RunEnd, TextEnd } from '../../../../src/internal.ts';
import { engineClient } from '../database/dbos.ts';
import { LOG, ROWS, STREAMS } from './names.ts';
import { numberOf, type RunRow } from './phase.ts';
import { resumesOf, type Resumes } from './sessions.ts';

/** The number of pieces of output per query. */
const BATCH = 64;

/** The row of a run, with the resumes of the run. */
export type Standing = RunRow & Readonly<{ id: string; resumes: Resumes }>;

/** The standings of those of the given runs that have a row. */
export async function standingsOf(db: Pick<Pool, 'query'>, ids: readonly string[]): Promise<readonly Standing[]> {
  const { rows } = await db.query(
    `SELECT workflow_uuid AS id, status, recovery_attempts AS attempts, completed_at AS ended, attributes FROM ${ROWS}
     WHERE workflow_uuid = ANY($1)`,
    [ids],
  );
  return rows.map(({ id, status, attempts, ended, attributes }) => ({
    id: String(id),
    status: String(status),
    attempts: Number(attempts),
    ended: numberOf(ended),
    resumes: resumesOf(attributes),
  }));
}

/** The pieces of a run's output, from a given piece onwards. */
export async function* readLog(pool: Pool, id: string, start: number): AsyncGenerator<Buffer> {
  for (let offset = start; ; offset += BATCH) {
    const { rows } = await pool.query(
      `SELECT value FROM ${STREAMS} WHERE workflow_uuid = $1 AND key = $2 AND "offset" >= $3
       ORDER BY "offset" LIMIT ${BATCH}`,
      [id, LOG, offset],
    );
    for (const { value } of rows) yield pieceOf(value);
    if (rows.length < BATCH) return;
  }
}

/** The end of a run's output. `limit` is in bytes. */
export async function logEnd(pool: Pool, id: string, limit: number): Promise<TextEnd> {
  const pieces: Buffer[] = [];
  let [size, isCut] = [0, false];
  for (let before: string | null = null; ;) {
    const { rows }: { rows: readonly Readonly<Record<string, unknown>>[] } = await pool.query(
      `SELECT value, "offset" FROM ${STREAMS}
       WHERE workflow_uuid = $1 AND key = $2 AND ($3::bigint IS NULL OR "offset" < $3) ORDER BY "offset" DESC LIMIT ${BATCH}`,
      [id, LOG, before],
    );
    for (const { value, offset } of rows) {
      isCut = size >= limit;
      if (isCut) break;
      pieces.unshift(pieceOf(value));
      size += pieces[0]?.length ?? 0;
      before = String(offset);
    }
    if (isCut || rows.length < BATCH) break;
  }
  const all = Buffer.concat(pieces);
  return { text: all.subarray(Math.max(0, all.length - limit)).toString(), cut: isCut || all.length > limit };
}

/** A stored piece of output. */
function pieceOf(value: unknown): Buffer {
  const text: unknown = JSON.parse(String(value));
  return Buffer.from(String(text), 'base64');
}

/** Whether the result of a run in the database is its end. */
export function isEnd(value: unknown): value is RunEnd {
  return typeof value === 'object' && value !== null && 'code' in value && 'interrupted' in value;
}

/** The end of a run that is over, or the reason why it is broken. */
export async function endOf(pool: Pool, url: string, id: string): Promise<RunEnd | string> {
  const client = await engineClient(url, pool);
  try {
    const end = await client.retrieveWorkflow(id).getResult();
    return isEnd(end) ? end : 'its status was set without a result';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
