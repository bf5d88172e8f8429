import { escapeForTerminal } from './escape.ts';
import { printStderr, writeStderr, type Io } from './io.ts';
import { isOff } from '../../base/boolean_value.ts';
import { terminalColumns } from './terminal.ts';

/** SGR parameters (ECMA-48, 8.3.117) that are readable on light and dark backgrounds. */
const COLOURS = {
  bold: '1',
  faint: '2',
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  magenta: '35',
  cyan: '36',
  none: '',
} as const;

export type Colour = keyof typeof COLOURS;

/** Colours the first match of each pattern in an escaped line. */
export type Rules = readonly (readonly [pattern: RegExp, colour: Colour])[];

/** Adds colours to an escaped line. */
type Painter = (line: string) => string;

export function paint(text: string, colour: Colour): string {
  return colour === 'none' ? text : `\x1b[${COLOURS[colour]}m${text}\x1b[0m`;
}

/** A function that colours lines for a terminal; undefined without colours, as in a pipe. */
export function createPainter({ env }: Io, descriptor: number, rules: Rules): Painter | undefined {
  const mode = colourMode(env);
  const isSuitable = mode === 'forced' || (isOff(env, 'CI') && env['TERM'] !== 'dumb');
  if (mode === 'off' || !isSuitable || terminalColumns(descriptor) === undefined) return undefined;
  return (line) =>
    rules.reduce((painted, [pattern, colour]) => painted.replace(pattern, (found) => paint(found, colour)), line);
}

/** Writes lines to standard error like `printStderr`, in colours and broken at words at a terminal. */
export function sayPainted(io: Io, lines: Iterable<string>, rules: Rules): void {
  if (terminalColumns(io.stderr) === undefined) printStderr(io, lines);
  else writeStderr(io, paintedLines(io, io.stderr, lines, rules));
}

/** Lines for standard output, escaped, in colours and broken at words at a terminal. Lines of `whole` are not broken. */
export function outputLines(io: Io, lines: Iterable<string>, rules: Rules, whole?: RegExp): Generator<string> {
  return paintedLines(io, io.stdout, lines, rules, whole);
}

function* paintedLines(
  io: Io,
  descriptor: number,
  lines: Iterable<string>,
  rules: Rules,
  whole?: RegExp,
): Generator<string> {
  const painter = createPainter(io, descriptor, rules) ?? ((line: string) => line);
  const breakLine = io.lineBreaker?.(descriptor) ?? ((line: string) => line);
  for (const line of lines) {
    const painted = painter(escapeForTerminal(line));
    yield `${whole?.test(line) === true ? painted : breakLine(painted)}\n`;
  }
}

/** `FORCE_COLOR` (https://force-color.org) overrides `NO_COLOR` (https://no-color.org), as in Node. */
export function colourMode(env: Io['env']): 'forced' | 'off' | 'automatic' {
  if (!isOff(env, 'FORCE_COLOR')) return 'forced';
  return env['FORCE_COLOR'] || env['NO_COLOR'] ? 'off' : 'automatic';
}
