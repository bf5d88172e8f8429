import type { Candidate } from './candidates.ts';

/**
 * A command line of bash up to the cursor, without its quotes; nothing in it is expanded. Completion replaces only
 * a part of the word at the cursor: what follows a quote that is still open, or else the last character at which
 * bash breaks words. `kept` is what stands before that part.
 */
export type BashLine = Readonly<{ before: readonly string[]; current: string; kept: string; quote: '' | "'" | '"' }>;

/** A backslash and what it quotes; a text in single or double quotes, which may be open; a space; any other character. */
const PIECE = /\\([^]?)|'([^']*)('?)|"((?:\\[^]?|[^"\\])*)("?)|([ \t\n]+)|([^])/gu;

/** Reads a line. `breaks` are the characters at which completion breaks words, of bash's COMP_WORDBREAKS. */
export function readBashLine(line: string, breaks: string): BashLine {
  const before: string[] = [];
  let [current, kept]: [string, string] = ['', ''];
  let quote: BashLine['quote'] = '';
  for (const [, escaped = '', single = '', singleEnd, double = '', doubleEnd, space, other = ''] of line.matchAll(
    PIECE,
  )) {
    if (space !== undefined) {
      before.push(current);
      [current, kept] = ['', ''];
      continue;
    }
    if (singleEnd === '' || doubleEnd === '') {
      quote = singleEnd === '' ? "'" : '"';
      kept = current;
    }
    current += escaped + single + double.replace(/\\([$`"\\])/g, '$1') + other;
    if (other !== '' && breaks.includes(other)) kept = current;
  }
  return { before, current, kept, quote };
}

/** What bash has to insert for each candidate that goes on with what was typed, quoted for where it will stand. */
export function bashReplies({ current, kept, quote }: BashLine, candidates: readonly Candidate[]): string[] {
  const fitting = candidates.filter(([text]) => text.startsWith(current));
  return fitting.map(([text]) => QUOTED[quote](text.slice(kept.length)));
}

/** In double quotes, an exclamation mark cannot be kept from history expansion. */
const QUOTED: Readonly<Record<BashLine['quote'], (text: string) => string>> = {
  '': (text) => text.replace(/[^\w@%+=:,./\u0080-\uFFFF-]/g, String.raw`\$&`),
  "'": (text) => text.replaceAll("'", String.raw`'\''`),
  '"': (text) => text.replace(/[$`"\\]/g, String.raw`\$&`).replaceAll('!', String.raw`"\!"`),
};
