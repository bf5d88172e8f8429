import { write } from '../backend/system/write.ts';
import { escapeForTerminal } from './escape.ts';

/** All that the tool has of the world around it. Descriptors, not streams: see `write.ts`. */
export type Io = Readonly<{
  stdin: number;
  stdout: number;
  stderr: number;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends the process by a signal, as its parent has to see it; gives the exit code if it cannot. */
  die: (signal: NodeJS.Signals) => Promise<number>;
}>;

/** What the tool's process ends with. */
export const EXIT = { ok: 0, no: 1, cannotStart: 2, bug: 70, notWritten: 74 } as const;

/** Says why a command cannot start; gives the exit code for that. */
export function refuse(io: Io, problems: readonly string[]): number {
  say(io, problems, 'cli: ');
  return EXIT.cannotStart;
}

/**
 * Writes lines for people to standard error, each after a prefix and made safe for a terminal.
 *
 * That nobody reads them any more is no reason to fail: the document is what counts.
 */
export function say(io: Io, lines: Iterable<string>, prefix = ''): undefined {
  write(io.stderr, terminalLines(lines, prefix));
}

function* terminalLines(lines: Iterable<string>, prefix: string): Generator<string> {
  for (const line of lines) yield `${prefix}${escapeForTerminal(line)}\n`;
}
