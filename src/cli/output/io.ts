import type { SharedStderr } from '../../backend/outputs/shared_stderr.ts';
import { write } from '../../backend/system/write.ts';
import { escapeLines } from './escape.ts';

/** The environment of the tool. Descriptors, not streams: see `write.ts`. */
export type Io = Readonly<{
  stdin: number;
  stdout: number;
  stderr: number;
  env: Record<string, string | undefined>;
  /** Terminates the process with a signal, which its parent can see; returns an exit code if that fails. */
  die: (signal: NodeJS.Signals) => Promise<number>;
  /** Breaks the long lines of the tool in a text at words, if standard error is a terminal. */
  wrap?: (text: string) => string;
  /** Returns a function that breaks a line at words, if the descriptor is a terminal. */
  lineBreaker?: (descriptor: number) => ((line: string) => string) | undefined;
  /** Standard error during a run. */
  shared?: SharedStderr | undefined;
}>;

/** The environment of the tool during a run. */
export type RunIo = Io & Readonly<{ shared: SharedStderr }>;

/** The exit codes of the tool. */
export const EXIT = { ok: 0, no: 1, cannotStart: 2, bug: 70, notWritten: 74 } as const;

/** Prints the reasons why a command cannot start; returns its exit code. */
export function refuse(io: Io, problems: readonly string[]): number {
  printStderr(io, problems, 'cli: ');
  return EXIT.cannotStart;
}

/**
 * Writes lines to standard error, each with a prefix and escaped for a terminal. Lines of the tool are broken at words
 * there. Write errors are ignored: only the document matters.
 */
export function printStderr(io: Io, lines: Iterable<string>, prefix = ''): undefined {
  writeStderr(io, terminalLines(lines, prefix, io.wrap));
}

/** Writes whole lines to standard error. */
export function writeStderr({ stderr, shared }: Io, pieces: Iterable<string>): void {
  if (shared === undefined) write(stderr, pieces);
  else shared.print(pieces);
}

/** Lines are escaped together, in batches of about this many characters. */
const BATCH = 16_384;

function* terminalLines(lines: Iterable<string>, prefix: string, wrap: Io['wrap'] = (text) => text): Generator<string> {
  let [batch, size]: [string[], number] = [[], 0];
  for (const line of lines) {
    batch.push(line);
    size += line.length;
    if (size < BATCH) continue;
    yield wrap(escapeLines(batch, prefix));
    [batch, size] = [[], 0];
  }
  yield wrap(escapeLines(batch, prefix));
}
