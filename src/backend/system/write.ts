import { writeSync } from 'node:fs';
import { whenReady } from './sleep.ts';

/** Pieces are gathered to about this many characters for each write. */
const CHUNK = 65_536;

/**
 * Writes all pieces of text to a descriptor, and returns when the system has taken the last byte.
 * Gives the system's words for the reason if it did not; undefined if all is well.
 *
 * Node's own streams are not used: they put descriptors that we share with steps into non-blocking
 * mode, and lose what is not written when the process ends.
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
