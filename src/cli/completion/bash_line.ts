import type { Candidate } from './candidates.ts';

/**
 * A bash command line up to the cursor, unquoted but not expanded. Completion replaces only the end of the current
 * word: the text after an open quote, or after the last character of COMP_WORDBREAKS. `kept` is the text before it.
 */
export type BashLine = Readonly<{ before: readonly string[]; current: string; kept: string; quote: '' | "'" | '"' }>;

/** A backslash with the character it quotes, a quoted text (possibly unterminated), blanks, or any other character. */
const PIECE = /\\([^]?)|'([^']*)('?)|"((?:\\[^]?|[^"\\])*)("?)|([ \t\n]+)|([^])/gu;

/** Parses a line. `breaks` is bash's COMP_WORDBREAKS. */
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

/** The text to insert for each matching candidate, quoted for its position. */
export function bashReplies({ current, kept, quote }: BashLine, candidates: readonly Candidate[]): string[] {
  const matching = candidates.filter(([text]) => text.startsWith(current));
  return matching.map(([text]) => QUOTED[quote](text.slice(kept.length)));
}

/** History expansion acts on `!` inside double quotes too, so the quotes are closed around it. */
const QUOTED: Readonly<Record<BashLine['quote'], (text: string) => string>> = {
  '': (text) => text.replace(/[^\w@%+=:,./\u0080-\uFFFF-]/g, String.raw`\$&`),
  "'": (text) => text.replaceAll("'", String.raw`'\''`),
  '"': (text) => text.replace(/[$`"\\]/g, String.raw`\$&`).replaceAll('!', String.raw`"\!"`),
};
