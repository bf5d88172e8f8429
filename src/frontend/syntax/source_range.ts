/** A half-open range of offsets into the file's text, in UTF-16 units. */
export type SourceRange = Readonly<{ start: number; end: number }>;

/** A text of the file. `lines` holds the range of each line, if the text is a script written as an array. */
type Lines = Readonly<{ text: string; range: SourceRange; lines?: readonly SourceRange[] }>;

/** The range in the file for an offset into a text: its line if the text is a script, otherwise the whole text. */
export function rangeAt({ text, range, lines }: Lines, offset: number): SourceRange {
  if (lines === undefined) return range;
  let line = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) line += 1;
  return lines[line] ?? range;
}

/** The range of a node, without the node. */
export function rangeOf({ start, end }: SourceRange): SourceRange {
  return { start, end };
}
