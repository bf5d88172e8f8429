import type { LineIndex } from '../syntax/line_index.ts';

/**
 * The path and lines of an included file. `original` is the offset at which the first copy of the file begins: its own
 * offset, unless the file is included several times.
 */
export type IncludedSource = Readonly<{ path: string; lines: LineIndex; original: number }>;

/**
 * The path and lines of a file, for code frames. `isSecret` tests for names of secrets, and `isForeign` whether the file
 * at a path is outside of the project: no line of it is shown. `included` holds the included files in the order of their
 * offsets.
 */
export type Source = Readonly<{
  path: string;
  lines: LineIndex;
  included: readonly IncludedSource[];
  isSecret: (text: string) => boolean;
  isForeign: (path: string) => boolean;
}>;

/** The file that contains an offset. */
export function sourceAt(source: Source, offset: number): Source {
  const found = source.included.findLast(({ lines }) => lines.base <= offset);
  return found === undefined ? source : { ...source, ...found };
}

/** A position in a file. */
export type FilePosition = Readonly<{ file: string; line: number; column: number }>;

/** Returns a function from offset to position that does not retain the texts of the files. */
export function positionsIn({ path, lines, included }: Source): (offset: number) => FilePosition {
  const position = lines.positions();
  if (included.length === 0) return (offset) => ({ file: path, ...position(offset) });
  const others = included.map((each) => ({ file: each.path, base: each.lines.base, position: each.lines.positions() }));
  return (offset) => {
    const found = others.findLast(({ base }) => base <= offset);
    return found === undefined ? { file: path, ...position(offset) } : { file: found.file, ...found.position(offset) };
  };
}
