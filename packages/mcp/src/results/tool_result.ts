import { jsonBytes, longestStart } from './size.ts';

/** Why a tool has not done what it was asked to. */
export type ErrorKind = 'unknown' | 'invalid';

/** The structured content of a result, in the order of its fields. */
export type Content = Readonly<Record<string, unknown>>;

/** The result of a tool. */
export type ToolResult = Readonly<{ content: Content; isError: boolean }>;

/** The size of a message in a result, in bytes. */
const MAX_MESSAGE = 16_384;

/** An error of a tool. `command`: what a person can type instead. */
export function toolError(error: ErrorKind, lines: readonly string[], command?: string): ToolResult {
  const message = longestStart(lines.join('\n'), (text) => jsonBytes(text) <= MAX_MESSAGE);
  return { content: { error, message, ...(command !== undefined && { command }) }, isError: true };
}
