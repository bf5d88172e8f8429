import type { LineIndex } from '../syntax/line_index.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { SourceRange } from '../syntax/source_range.ts';

/** Longer texts are marked as a whole: a file may have many mistakes in one command of megabytes. */
const SEARCH_LIMIT = 100_000;

/**
 * The part of a diagnostic's range that it is about: a variable or a reference in a command, at its first place there.
 * Its message has the position of this part.
 */
export function markedRange(diagnostic: Diagnostic, lines: LineIndex): SourceRange {
  const { start, end } = diagnostic.range;
  const found = end - start > SEARCH_LIMIT ? undefined : partIn(diagnostic, lines.slice(start, end));
  if (found === undefined) return diagnostic.range;
  return { start: start + found.start, end: start + found.end };
}

/** Plain expansions in JSON text, and all expansions outside of quotes. */
const PLAIN = /(?<!\\)\$(?:\{(\w+)\}|(\w+))/g;
const UNQUOTED = /(?<![\\'])\$(?:\{#?(\w+)(?:[^\w}"][^}"]*)?\}?|(\w+))/g;

/** The part in JSON text. */
function partIn(diagnostic: Diagnostic, text: string): SourceRange | undefined {
  if (diagnostic.code === 'undefined variable') return expansionIn(text, PLAIN, diagnostic.variable);
  // If all places look like quoted text, the whole command is marked.
  if (diagnostic.code === 'unlisted secret') return expansionIn(text, UNQUOTED, diagnostic.name);
  if (!('reference' in diagnostic)) return undefined;
  const reference = JSON.stringify(diagnostic.reference).slice(1, -1);
  const start = text.indexOf(reference);
  return start === -1 ? undefined : { start, end: start + reference.length };
}

/** The first expansion of a variable. Its name is no part of the pattern, whose size has a limit. */
function expansionIn(text: string, pattern: RegExp, variable: string): SourceRange | undefined {
  for (let from = 0; ;) {
    pattern.lastIndex = from;
    const found = pattern.exec(text);
    if (found === null) return undefined;
    if (variable === (found[1] ?? found[2])) return { start: found.index, end: pattern.lastIndex };
    // An expansion may be inside of another.
    from = found.index + 1;
  }
}
