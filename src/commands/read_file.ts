import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { sleepSync } from '../backend/sleep.ts';

/** A workflow file may have at most this many bytes. */
const SIZE_LIMIT = 16 * 1024 * 1024;

export type FileBytes =
  | { readonly ok: true; readonly bytes: Uint8Array }
  /** `problem` completes the sentence "cannot read <path>: …". */
  | { readonly ok: false; readonly problem: string };

/** Reads a whole file: anything that can be read and is not a directory; `-` is `stdin`. */
export function readWorkflowBytes(path: string, stdin: number): FileBytes {
  let opened: number | undefined;
  try {
    opened = path === '-' ? undefined : openSync(path, 'r');
    const descriptor = opened ?? stdin;
    if (fstatSync(descriptor).isDirectory()) return { ok: false, problem: 'it is a directory' };
    const bytes = readAll(descriptor);
    if (bytes === undefined) {
      return { ok: false, problem: `it has more than ${SIZE_LIMIT} bytes (16 MiB)` };
    }
    return bytes.length === 0 ? { ok: false, problem: 'it is empty' } : { ok: true, bytes };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const code = String(error.code);
    return { ok: false, problem: PROBLEMS.get(code) ?? error.message };
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'it is a directory'],
  ['ELOOP', 'its symbolic links lead in a circle'],
  ['ENOTDIR', 'a part of its path is not a directory'],
]);

/** All bytes, or undefined if there are too many; never reads much more than the limit. */
function readAll(descriptor: number): Uint8Array | undefined {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(65_536);
    const length = readSome(descriptor, chunk);
    if (length === 0) return Buffer.concat(chunks, total);
    chunks.push(chunk.subarray(0, length));
    total += length;
    if (total > SIZE_LIMIT) return undefined;
  }
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
