import { fstatSync } from 'node:fs';
import { trySystemCall } from '../../backend/system/try_system_call.ts';

/** The minimum width that lines are fitted to. A narrower terminal wraps them. */
const MIN_COLUMNS = 40;

/**
 * The width of the terminal behind a descriptor, in columns: Infinity if it is unknown, undefined if the descriptor is
 * not a terminal. If the window is resized later, the terminal wraps the lines.
 */
export function terminalColumns(descriptor: number): number | undefined {
  if (!fstatSync(descriptor).isCharacterDevice()) return undefined;
  // Loaded on use, because it loads network modules.
  const { isatty, WriteStream } = process.getBuiltinModule('node:tty');
  if (!isatty(descriptor)) return undefined;
  // The stream reopens the terminal, so the descriptor shared with steps keeps its flags. It is never written to.
  const size = trySystemCall(() => new WriteStream(descriptor).getWindowSize());
  return typeof size === 'string' || size[0] === 0 ? Infinity : Math.max(size[0], MIN_COLUMNS);
}
