import { write } from '../../backend/system/write.ts';
import { escapeForTerminal, escapeJson } from './escape.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { EXIT, printStderr, type Io } from './io.ts';

/** Prints a command's JSON document; returns the exit code, as `print` does. */
export function printDocument(io: Io, document: object, options: Options, exit: number): number {
  const indent = options.pretty ? '  ' : '';
  return print(
    io,
    Array.isArray(document) ? [json(document, indent, 0), '\n'] : documentPieces(document, indent),
    exit,
  );
}

/** Prints lines of text, escaped for a terminal; returns the exit code, as `print` does. */
export function printLines(io: Io, lines: Iterable<string>, exit: number): number {
  return print(io, escapedLines(lines), exit);
}

function* escapedLines(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${escapeForTerminal(line)}\n`;
}

/** Writes to standard output; returns `exit`, or 74 if the write failed. */
export function print(io: Io, text: Iterable<string>, exit: number): number {
  return exitAfter(io, write(io.stdout, text), exit);
}

/** The exit code after the result was written, or not, because of a problem. */
export function exitAfter(io: Io, problem: string | undefined, exit: number): number {
  if (problem === undefined) return exit;
  printStderr(io, [`cannot write the result to standard output: ${problem}`], 'cli: ');
  return EXIT.notWritten;
}

/** A document as one text without indentation. */
export function compactText(document: object): string {
  return [...documentPieces(document, '')].join('');
}

/**
 * The text of a document in pieces. A field that is an iterable but not an array is written as an array, one element
 * at a time, because it may be too large for one string.
 */
export function* documentPieces(document: object, indent: string): Generator<string> {
  const [newline, space] = indent === '' ? ['', ''] : ['\n', ' '];
  let separator = '{';
  for (const [name, value] of Object.entries(document)) {
    if (value === undefined) continue;
    yield `${separator}${newline}${indent}${JSON.stringify(name)}:${space}`;
    if (isStream(value)) yield* elements(value, indent, newline);
    else yield json(value, indent, 1);
    separator = ',';
  }
  yield `${newline}}\n`;
}

/** Elements are escaped together, in batches of about this many characters. */
const BATCH = 16_384;

function* elements(values: Iterable<unknown>, indent: string, newline: string): Generator<string> {
  let separator = '[';
  let batch = '';
  for (const value of values) {
    batch += `${separator}${newline}${indent.repeat(2)}${plainJson(value, indent, 2)}`;
    separator = ',';
    if (batch.length < BATCH) continue;
    yield escapeJson(batch);
    batch = '';
  }
  yield escapeJson(batch);
  yield separator === '[' ? '[]' : `${newline}${indent}]`;
}

function isStream(value: unknown): value is Iterable<unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Symbol.iterator in value;
}

function json(value: unknown, indent: string, depth: number): string {
  return escapeJson(plainJson(value, indent, depth));
}

function plainJson(value: unknown, indent: string, depth: number): string {
  const text = JSON.stringify(value, undefined, indent);
  return depth === 0 || indent === '' ? text : text.replaceAll('\n', `\n${indent.repeat(depth)}`);
}
