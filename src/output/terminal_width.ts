import { fstatSync } from 'node:fs';
import { trySystemCall } from '../backend/system/try_system_call.ts';

/** Where a terminal has fewer columns than this, it has to wrap lines. */
const NARROWEST = 40;

/**
 * How many columns the terminal has that a descriptor leads to: any number where it does not say, undefined where
 * there is none. It is asked once: a window that is made narrower later wraps the lines itself.
 */
export function terminalColumns(descriptor: number): number | undefined {
  if (!fstatSync(descriptor).isCharacterDevice()) return undefined;
  // Loaded on use: it brings modules for networks along, for which a start into a pipe need not wait.
  const { isatty, WriteStream } = process.getBuiltinModule('node:tty');
  if (!isatty(descriptor)) return undefined;
  // Nothing is written to this stream: it opens the terminal anew, and the descriptor that steps share stays as it is.
  const size = trySystemCall(() => new WriteStream(descriptor).getWindowSize());
  return typeof size === 'string' || size[0] === 0 ? Infinity : Math.max(size[0], NARROWEST);
}
