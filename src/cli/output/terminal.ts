import { fstatSync } from 'node:fs';
import { trySystemCall } from '../../backend/system/try_system_call.ts';

/**
 * Whether a descriptor is a terminal. `node:tty` is loaded on use: in Bun it loads streams and network modules, which the
 * function behind it does not need.
 */
export function isTerminal(descriptor: number): boolean {
  const terminals = globalThis.Bun === undefined ? undefined : process.binding?.('tty_wrap');
  return terminals?.isTTY?.(descriptor) ?? process.getBuiltinModule('node:tty').isatty(descriptor);
}

/** The minimum width that lines are fitted to. A narrower terminal wraps them. */
const MIN_COLUMNS = 40;

/**
 * The width of the terminal behind a descriptor, in columns: Infinity if it is unknown, undefined if the descriptor is
 * not a terminal. If the window is resized later, the terminal wraps the lines.
 */
export function terminalColumns(descriptor: number): number | undefined {
  if (!fstatSync(descriptor).isCharacterDevice()) return undefined;
  if (!isTerminal(descriptor)) return undefined;
  const { WriteStream } = process.getBuiltinModule('node:tty');
  // The stream reopens the terminal, so the descriptor shared with steps keeps its flags. It is never written to.
  const size = trySystemCall(() => new WriteStream(descriptor).getWindowSize());
  return typeof size === 'string' || size[0] === 0 ? Infinity : Math.max(size[0], MIN_COLUMNS);
}
