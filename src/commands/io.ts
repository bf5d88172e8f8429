import { write } from '../backend/write.ts';
import type { Signal } from '../backend/port.ts';
import { escapeForTerminal } from './escape.ts';

/** All that the tool has of the world around it. */
export interface Io {
  /** Descriptors, not streams: see `backend/write.ts`. */
  readonly stdin: number;
  readonly stdout: number;
  readonly stderr: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Tells one run of the tool from every other: letters, digits and underscores. */
  readonly runId: string;
  /** Ends the process by a signal, as its parent has to see it; gives the exit code if that fails. */
  die(signal: Signal): number;
}

/** What the tool's process ends with; see `docs/reference.md`. */
export const EXIT = { ok: 0, no: 1, cannotStart: 2, bug: 70, notWritten: 74 } as const;

/**
 * Writes lines for people to standard error, each made safe for a terminal.
 *
 * That nobody reads them any more is no reason to fail: the document is what counts.
 */
export function say(io: Io, lines: Iterable<string>): void {
  write(io.stderr, terminalLines(lines));
}

function* terminalLines(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${escapeForTerminal(line)}\n`;
}
