import { writeSync } from 'node:fs';
import { sleepSync } from './sleep.ts';

/** Whether everything was written; `reason` is the system's code, such as ENOSPC. */
export type Written = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Pieces are gathered to about this many characters for each write. */
const CHUNK = 65_536;

/**
 * Writes all pieces of text to a descriptor, and returns when the system has taken the last byte.
 *
 * A step may have put a pipe that we share with it into non-blocking mode; we wait until it takes
 * more. Node's own streams are not used: they put descriptors into that mode themselves, and lose
 * what is not written when the process ends.
 */
export function write(descriptor: number, pieces: Iterable<string>): Written {
  let gathered = '';
  try {
    for (const piece of pieces) {
      gathered += piece;
      if (gathered.length < CHUNK) continue;
      writeBytes(descriptor, gathered);
      gathered = '';
    }
    writeBytes(descriptor, gathered);
    return { ok: true };
  } catch (error) {
    if (error instanceof Error && 'syscall' in error && error.syscall === 'write') {
      return { ok: false, reason: 'code' in error ? String(error.code) : error.message };
    }
    throw error;
  }
}

function writeBytes(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      sleepSync(5);
    }
  }
}
