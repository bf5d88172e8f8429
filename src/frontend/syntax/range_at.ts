import type { SourceText } from '../ast.ts';
import type { SourceRange } from '../diagnostics/diagnostic.ts';

/** The range in the file for an offset into a text: its line if the text is a script, otherwise the whole text. */
export function rangeAt({ text, range, lines }: SourceText, offset: number): SourceRange {
  if (lines === undefined) return range;
  let line = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) line += 1;
  return lines[line] ?? range;
}

/** The range of a node, without the node. */
export function rangeOf({ start, end }: SourceRange): SourceRange {
  return { start, end };
}
