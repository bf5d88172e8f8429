import { approvalOutline } from './approval_outline.ts';
import { HIDDEN, unicodeEscape } from '../../../base/hidden_characters.ts';
import type { DigestedPlan } from '../../../ir/views/plan_digest.ts';

/** The number of lines that a person can be expected to read, and their size in bytes. */
const [MAX_LINES, MAX_SIZE] = [400, 32_768];

/** The maximum length of the start of a plan, in characters. */
const MAX_START = 24_000;

/** Hidden characters, and all others without a sign or a meaning of their own: formatting and other blanks. */
const UNSAFE = String.raw`${HIDDEN}|(?![ \u200D])[\p{C}\p{Z}\u2800]`;

/**
 * The lines that a person approves: `lines`, such as warnings or the states of a resume, and then the plan with every
 * line of every command. Unsafe characters are escaped.
 */
export function* approvalLines(plan: DigestedPlan, lines: readonly string[] = []): Generator<string> {
  // Compiled on use: V8 reads the tables of Unicode properties when it parses them.
  const unsafe = new RegExp(UNSAFE, 'gu');
  for (const line of lines.flatMap((each) => each.split('\n'))) yield escapeUnsafe(line, unsafe);
  for (const line of approvalOutline(plan)) yield escapeUnsafe(line, unsafe);
}

function escapeUnsafe(line: string, unsafe: RegExp): string {
  if (/^[ -~\t]*$/.test(line)) return line;
  return line.replace(unsafe, (character) => (character === '\t' ? character : unicodeEscape(character)));
}

/** Lines as one text; undefined if they are more than a person can be expected to read. */
export function approvalText(lines: Iterable<string>): string | undefined {
  const text: string[] = [];
  let size = 0;
  for (const line of lines) {
    size += Buffer.byteLength(line) + 1;
    if (text.push(line) > MAX_LINES || size > MAX_SIZE + 1) return undefined;
  }
  return text.join('\n');
}

/** Lines as one text, or the start of it, followed by `…`. */
export function startOfText(lines: Iterable<string>): string {
  let text = '';
  for (const line of lines) {
    text += text === '' ? line : `\n${line}`;
    if (text.length > MAX_START) return `${text.slice(0, MAX_START - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
  }
  return text;
}
