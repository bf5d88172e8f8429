import { jsonBytes, longestStart } from './size.ts';

/** Why a tool has not done what it was asked to. */
export type ErrorKind =
  | 'unknown'
  | 'invalid'
  | 'inputs'
  | 'denied'
  | 'cannot_ask'
  | 'too_long'
  | 'declined'
  | 'state'
  | 'changed'
  | 'conflict'
  | 'busy'
  | 'ended';

/** The structured content of a result, in the order of its fields. */
export type Content = Readonly<Record<string, unknown>>;

/** The result of a tool. */
export type ToolResult = Readonly<{ kind: 'result'; content: Content; isError: boolean }>;

/** The size of a message in a result, in bytes. */
const MAX_MESSAGE = 16_384;

export function toolResult(content: Content, isError = false): ToolResult {
  return { kind: 'result', content, isError };
}

/** An error of a tool. `command`: what a person can type instead. */
export function toolError(error: ErrorKind, lines: readonly string[], command?: string): ToolResult {
  const message = longestStart(lines.join('\n'), (text) => jsonBytes(text) <= MAX_MESSAGE);
  return toolResult({ error, message, ...(command !== undefined && { command }) }, true);
}
