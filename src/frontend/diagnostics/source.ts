import type { ParsedFile } from '../parse.ts';

/**
 * A file's path and lines, the ranges of values that may be secrets whatever their names, and a test for names of
 * secrets; `included` has the same of the files that it includes, in the order of their offsets.
 */
export type Source = Pick<ParsedFile, 'lines' | 'hidden' | 'included'> &
  Readonly<{ path: string; isSecret: (text: string) => boolean }>;

/** The file that an offset lies in. */
export function sourceAt(source: Source, offset: number): Source {
  const found = source.included.findLast(({ lines }) => lines.base <= offset);
  return found === undefined ? source : { ...source, ...found };
}

/** A position in a file. */
export type FilePosition = Readonly<{ file: string; line: number; column: number }>;

/** The positions of offsets, as a function that does not hold the texts of the files. */
export function positionsIn({ path, lines, included }: Source): (offset: number) => FilePosition {
  const position = lines.positions();
  if (included.length === 0) return (offset) => ({ file: path, ...position(offset) });
  const others = included.map((each) => ({ file: each.path, base: each.lines.base, position: each.lines.positions() }));
  return (offset) => {
    const found = others.findLast(({ base }) => base <= offset);
    return found === undefined ? { file: path, ...position(offset) } : { file: found.file, ...found.position(offset) };
  };
}
