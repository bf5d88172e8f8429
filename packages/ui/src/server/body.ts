import type { IncomingMessage } from 'node:http';
import type { ErrorStatus } from './answers.ts';

/** The maximum size of a body, in bytes. */
const MAX_BODY = 4096;

/** The fields of a body, or the status of the answer to one that is not accepted. */
type Body = ReadonlyMap<string, unknown> | ErrorStatus;

/** Reads the body of a request: an object in JSON. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const { 'content-type': type = '', 'content-length': length = '0' } = request.headers;
  if (!/^application\/json(?:; *charset=utf-8)?$/i.test(type)) return 415;
  if (Number(length) > MAX_BODY) return 413;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BODY) return 413;
    chunks.push(bytes);
  }
  const value = parse(Buffer.concat(chunks));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 400;
  return new Map(Object.entries(value));
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The answer says that the body is malformed.
    return undefined;
  }
}
