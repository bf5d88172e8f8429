import type { SourceRange } from '../frontend/syntax/source_range.ts';
import type { Source } from '../frontend/diagnostics/source.ts';
import type { LineIndex } from '../frontend/syntax/line_index.ts';
import type { Place } from './types.ts';

/** The place of a range in one of several files, which are in the order of their offsets. */
export function placeIn(files: readonly Readonly<{ path: string; lines: LineIndex }>[], range: SourceRange): Place {
  const found = files.findLast(({ lines }) => lines.base <= range.start);
  if (found === undefined) throw new Error('no file has this offset');
  const { path: file, lines } = found;
  const from = lines.position(range.start);
  const to = lines.position(range.end);
  return { file, line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
}

/** Whether an offset is in the first copy of its file. */
export function isOriginal({ included }: Source, offset: number): boolean {
  const copy = included.findLast(({ lines }) => lines.base <= offset);
  return copy === undefined || copy.original === copy.lines.base;
}
