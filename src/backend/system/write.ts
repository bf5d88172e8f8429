import { writeSync } from 'node:fs';
import { whenReady } from './sleep.ts';

/** The size of a write, in characters: pieces are gathered up to about that. */
const CHUNK = 65_536;

/**
 * Writes all pieces of text to a descriptor, and returns when the system has accepted the last byte. Gives the
 * system's message if it failed, else undefined.
 *
 * Node's own streams would put descriptors that are shared with steps into non-blocking mode, and lose unwritten text
 * when the process ends.
 */
export function write(descriptor: number, pieces: Iterable<string>): string | undefined {
  let gathered = '';
  const flush = (): void => {
    const bytes = Buffer.from(gathered);
    for (let done = 0; done < bytes.length;) done += whenReady(() => writeSync(descriptor, bytes, done));
    gathered = '';
  };
  try {
    for (const piece of pieces) {
      gathered += piece;
      if (gathered.length >= CHUNK) flush();
    }
    flush();
    return undefined;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && error.syscall === 'write')) throw error;
    return error.message.replace(/, write$/, '');
  }
}

/** Writes bytes as a whole; gives the system's message if it failed. */
export function writeBytes(descriptor: number, bytes: Uint8Array): string | undefined {
  try {
    for (let done = 0; done < bytes.length;) done += whenReady(() => writeSync(descriptor, bytes, done));
    return undefined;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && error.syscall === 'write')) throw error;
    return error.message.replace(/, write$/, '');
  }
}

/** Writes bytes of a step. Ignores that the descriptor's reader is gone: the step's own result counts. */
export function passOn(descriptor: number, chunk: Buffer): void {
  try {
    for (let done = 0; done < chunk.length;) done += whenReady(() => writeSync(descriptor, chunk, done));
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && error.syscall === 'write')) throw error;
  }
}
