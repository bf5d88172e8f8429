import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ErrorStatus } from './answers.ts';

/** Whether a request is from the page, or from a program that does not pretend to be another page. */
export function checkOrigin({ headers, method }: IncomingMessage, port: number): ErrorStatus | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return 403;
  if (origin !== undefined && origin !== `http://${host}`) return 403;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 403;
  return method === 'GET' || method === 'POST' ? undefined : 405;
}

/** Whether a request has the key. Digests have one length, so that the time of the comparison tells nothing. */
export function hasKey({ headers }: IncomingMessage, key: string): boolean {
  return timingSafeEqual(sha256(headers.authorization ?? ''), sha256(`Bearer ${key}`));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
