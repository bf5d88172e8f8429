import type { DiagnosticList } from './diagnostic.ts';
import type { SourceRange } from '../syntax/source_range.ts';
import { markedRange } from './marked_range.ts';
import { locatedMessage, omittedMessage } from './diagnostic_message.ts';
import { secretLinesOf } from './secret_lines.ts';
import { sourceAt, type Source } from './source.ts';

/** The maximum number of columns of a source line shown around a position. */
const WIDTH = 100;

/** The width of the line number and the bar before a source line, in columns. */
const GUTTER = 8;

/**
 * Renders diagnostics: `file:line:column: …`, then the source line with a mark under the position. Source lines are
 * truncated to `columns`, because a mark under a wrapped line would be misplaced.
 */
export function renderCodeFrames(diagnostics: DiagnosticList, source: Source, columns = Infinity): string[] {
  const width = Math.min(WIDTH, columns - GUTTER);
  /** A cache for the next diagnostic: many diagnostics may be on one very long line. */
  let last: { path?: string; line: number; mayShowLine: boolean } = { line: 0, mayShowLine: false };
  const drawn = diagnostics.items.flatMap((item) => {
    const own = sourceAt(source, item.range.start);
    const { path, lines } = own;
    const range = markedRange(item, lines);
    const { line, column } = lines.position(range.start);
    const span = lines.span(line);
    if (line !== last.line || path !== last.path) last = { path, line, mayShowLine: mayShow(source, own, line, span) };
    const heading = locatedMessage(item, { file: path, line, column }, lines, last.mayShowLine);
    return last.mayShowLine ? [heading, ...drawLine(lines, line, span, range, width)] : [heading];
  });
  return [...drawn, ...omittedMessage(diagnostics)];
}

/** Whether a line of the file `own` may be shown: its file is one of the project, and it holds no secret. */
function mayShow(source: Source, { path, lines }: Source, line: number, span: SourceRange): boolean {
  return span.start < span.end && !source.isForeign(path) && !secretLinesOf(source)(lines, line, span);
}

function drawLine(
  lines: Source['lines'],
  line: number,
  span: SourceRange,
  range: SourceRange,
  width: number,
): string[] {
  const { from, to, end } = shownPart(span, range, width);
  const gutter = String(line).padStart(GUTTER - 3);
  const mark = '^'.repeat(end - range.start);
  return [
    `${gutter} | ${lines.slice(from, to)}`,
    `${' '.repeat(gutter.length)} | ${' '.repeat(range.start - from)}${mark}`,
  ];
}

/** The part of a line that is shown around a range, and the end of the mark under the range. */
export function shownPart(
  span: SourceRange,
  { start, end }: SourceRange,
  width = WIDTH,
): Readonly<{ from: number; to: number; end: number }> {
  const from = span.end - span.start <= width ? span.start : Math.max(span.start, start - Math.floor(width / 2));
  const to = Math.min(span.end, from + width);
  return { from, to, end: Math.max(start + 1, Math.min(end, to)) };
}
