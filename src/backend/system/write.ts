import { writeSync } from 'node:fs';
import { whenReady } from './sleep.ts';

/** Approximate size of a write, in characters. Pieces are gathered up to it. */
const CHUNK = 65_536;

/**
 * Writes all pieces of text to a descriptor, and returns when the system has accepted the last byte. Returns the
 * system's message on failure, undefined otherwise.
 *
 * Node's own streams would make descriptors shared with steps non-blocking, and lose unwritten text when the process
 * ends.
 */
export function write(descriptor: number, pieces: Iterable<string>): string | undefined {
  for (const bytes of chunksOf(pieces)) {
    const problem = writeBytes(descriptor, bytes);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Writes all bytes. Returns the system's message on failure. */
export function writeBytes(descriptor: number, bytes: Uint8Array): string | undefined {
  try {
    for (let done = 0; done < bytes.length;) done += whenReady(() => writeSync(descriptor, bytes, done));
    return undefined;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && error.syscall === 'write')) throw error;
    return messageOf(error);
  }
}

/** Writes bytes at a place of a file. Returns how many of them the system has accepted. */
export function writeAt(descriptor: number, bytes: Uint8Array, at: number): number {
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && error.syscall === 'write')) throw error;
  }
  return done;
}

/** The text of pieces, in chunks. */
export function* chunksOf(pieces: Iterable<string>): Generator<Buffer> {
  let gathered = '';
  for (const piece of pieces) {
    gathered += piece;
    if (gathered.length < CHUNK) continue;
    yield Buffer.from(gathered);
    gathered = '';
  }
  yield Buffer.from(gathered);
}

/** The system's message without the name of the call. */
export function messageOf({ message }: Error): string {
  return message.replace(/, write$/, '');
}
