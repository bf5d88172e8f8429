import type { SourceRange } from './source_range.ts';

/** A text with the given ranges cut out. */
export function without(text: string, ranges: readonly SourceRange[]): string {
  let end = 0;
  const parts = ranges
    .toSorted((one, other) => one.start - other.start)
    .map((range) => {
      const part = text.slice(end, range.start);
      end = range.end;
      return part;
    });
  return [...parts, text.slice(end)].join(' ');
}
