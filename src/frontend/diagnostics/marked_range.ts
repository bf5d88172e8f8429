import type { LineIndex } from '../syntax/line_index.ts';
import type { Diagnostic, SourceRange } from './diagnostic.ts';

/** Longer texts are marked as a whole: a file may have many mistakes in one command of megabytes. */
const SEARCH_LIMIT = 100_000;

/**
 * The part of a diagnostic's range that it is about: a variable or a reference in a command, at its first place there.
 * Its message has the position of this part.
 */
export function markedRange(diagnostic: Diagnostic, lines: LineIndex): SourceRange {
  const { start, end } = diagnostic.range;
  const pattern = end - start > SEARCH_LIMIT ? undefined : patternOf(diagnostic);
  const found = pattern?.exec(lines.slice(start, end));
  if (!found) return diagnostic.range;
  return { start: start + found.index, end: start + found.index + found[0].length };
}

/** A pattern for the part in JSON text. */
function patternOf(diagnostic: Diagnostic): RegExp | undefined {
  if (diagnostic.code === 'undefined variable') {
    const { variable } = diagnostic;
    return new RegExp(String.raw`(?<!\\)\$(?:\{${variable}\}|${variable}(?!\w))`);
  }
  if (diagnostic.code === 'unlisted secret') {
    const { name } = diagnostic;
    // Not the text of a quoted one. If all places look like that, the whole command is marked.
    return new RegExp(String.raw`(?<![\\'])\$(?:\{#?${name}(?!\w)[^}"]*\}?|${name}(?!\w))`);
  }
  if (!('reference' in diagnostic)) return undefined;
  const text = JSON.stringify(diagnostic.reference).slice(1, -1);
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
}
