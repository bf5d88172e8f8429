import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { sleepSync } from '../backend/sleep.ts';

/** A workflow file may have at most this many bytes. */
const SIZE_LIMIT = 16 * 1024 * 1024;

/** `problem` completes the sentence "cannot read <path>: …". */
export type FileBytes = Readonly<{ ok: true; bytes: Buffer } | { ok: false; problem: string }>;

/** Reads a whole file: anything that can be read and is not a directory; `-` is `stdin`. */
export function readWorkflowBytes(path: string, stdin: number): FileBytes {
  let opened: number | undefined;
  try {
    opened = path === '-' ? undefined : openSync(path, 'r');
    const descriptor = opened ?? stdin;
    if (fstatSync(descriptor).isDirectory()) return { ok: false, problem: 'it is a directory' };
    const bytes = readUpToLimit(descriptor);
    if (bytes.length === 0) return { ok: false, problem: 'it is empty' };
    if (bytes.length <= SIZE_LIMIT) return { ok: true, bytes };
    return { ok: false, problem: `it has more than ${SIZE_LIMIT} bytes (16 MiB)` };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { ok: false, problem: PROBLEMS.get(error.code) ?? error.message };
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

const PROBLEMS: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'it is a directory'],
  ['ELOOP', 'its symbolic links lead in a circle'],
  ['ENOTDIR', 'a part of its path is not a directory'],
]);

/** All bytes, or a little more than the limit if there are more. */
function readUpToLimit(descriptor: number): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total <= SIZE_LIMIT) {
    const chunk = Buffer.allocUnsafe(65_536);
    const length = readSome(descriptor, chunk);
    if (length === 0) break;
    chunks.push(chunk.subarray(0, length));
    total += length;
  }
  return Buffer.concat(chunks, total);
}

/** A pipe that somebody else put into non-blocking mode may have nothing yet. */
function readSome(descriptor: number, chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(descriptor, chunk);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      sleepSync(5);
    }
  }
}
