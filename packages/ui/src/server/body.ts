import type { IncomingMessage } from 'node:http';
import { parseJson } from '../../../../src/internal.ts';
import type { ErrorStatus } from './answers.ts';

/** The maximum size of a body, and of one that is read to its end before its answer, in bytes. */
const [MAX_BODY, MAX_DISCARDED] = [4096, 65_536];

/** The fields of a body. */
export type Fields = ReadonlyMap<string, unknown>;

/** Reads the body of a request: an object in JSON. A number is the status of the answer to one that is not accepted. */
export async function readBody(request: IncomingMessage): Promise<Fields | ErrorStatus> {
  const { 'content-type': type = '' } = request.headers;
  const { bytes, size } = await readBytes(request);
  if (!/^application\/json(?:; *charset=utf-8)?$/i.test(type)) return 415;
  if (size > MAX_BODY) return 413;
  const value = parseJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 400;
  return new Map(Object.entries(value));
}

/** Reads what is left of a body, so that its sender gets the answer: a connection with unread bytes is reset. */
export async function readBytes(request: IncomingMessage): Promise<Readonly<{ bytes: Buffer; size: number }>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size <= MAX_BODY) chunks.push(bytes);
    if (size > MAX_DISCARDED) break;
  }
  return { bytes: Buffer.concat(chunks), size };
}
