import { HIDDEN } from './hidden_characters.ts';

const MAX_LINE = 100;
const LABEL = /^.{0,60}/u;

/** The first line of a text, without the blanks around the text. */
export function firstLine(text: string): string {
  const trimmed = text.trim();
  const end = trimmed.indexOf('\n');
  return end === -1 ? trimmed : trimmed.slice(0, end);
}

/** The first line of a text, followed by ` …` if there are more. */
export function truncateLines(text: string): string {
  const line = firstLine(text);
  return line.length === text.length || line === text.trim() ? line : `${line} …`;
}

/** The first line of a text, at most 100 characters of it, followed by ` …` if anything is missing. */
export function truncateLine(text: string): string {
  const line = firstLine(text).slice(0, MAX_LINE);
  // A surrogate pair is not split.
  const start = line.replace(/[\uD800-\uDBFF]$/, '');
  return start === text.trim() ? start : `${start.trimEnd()} …`;
}

/** A text as one line without hidden characters, at most 60 characters of it, followed by `…` if any are missing. */
export function truncateLabel(text: string): string {
  const line = text.replaceAll(new RegExp(String.raw`(?:\s|${HIDDEN})+`, 'gu'), ' ').trim();
  // Counted in code points, so that a surrogate pair is not split.
  const start = LABEL.exec(line)?.[0] ?? '';
  return start.length < line.length ? `${start}…` : line;
}
/** The number of lines of output that are shown of a step after a run: as text, on the page, and to agents. */
export const LAST_LINES = 20;
