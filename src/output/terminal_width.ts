import { fstatSync } from 'node:fs';
import { trySystemCall } from '../backend/system/try_system_call.ts';

/** The fewest columns that lines are fitted to; a narrower terminal wraps them. */
const MIN_COLUMNS = 40;

/**
 * The columns of the terminal behind a descriptor: Infinity if they are unknown, undefined if there is no terminal. A
 * window that is resized later wraps the lines itself.
 */
export function terminalColumns(descriptor: number): number | undefined {
  if (!fstatSync(descriptor).isCharacterDevice()) return undefined;
  // Loaded on use, because it loads network modules.
  const { isatty, WriteStream } = process.getBuiltinModule('node:tty');
  if (!isatty(descriptor)) return undefined;
  // The stream reopens the terminal, so the descriptor shared with steps keeps its flags. Nothing is written to it.
  const size = trySystemCall(() => new WriteStream(descriptor).getWindowSize());
  return typeof size === 'string' || size[0] === 0 ? Infinity : Math.max(size[0], MIN_COLUMNS);
}
