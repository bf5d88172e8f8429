import type { DiagnosticList, SourceRange } from './diagnostic.ts';
import { locatedMessage, omittedMessage } from './message.ts';
import { sourceAt, type Source } from './source.ts';

/** The maximum number of columns of a source line shown around a position. */
const WIDTH = 100;

/** The width of the line number and the bar before a source line, in columns. */
const GUTTER = 8;

/** A line is not shown if it, or one of this many lines above it, contains the name of a secret. */
const LINES_ABOVE = 5;

/** If these lines have more characters than this, none is shown: searching megabytes for names would take a second. */
const SECRET_SEARCH_LIMIT = 100_000;

/**
 * Renders diagnostics: `file:line:column: …`, then the source line with a mark under the position. Source lines are
 * truncated to `columns`, because a mark under a wrapped line would be misplaced.
 */
export function renderCodeFrames(diagnostics: DiagnosticList, source: Source, columns = Infinity): string[] {
  const width = Math.min(WIDTH, columns - GUTTER);
  /** A cache for the next diagnostic: many diagnostics may be on one very long line. */
  let last: { path?: string; line: number; mayShowLine: boolean } = { line: 0, mayShowLine: false };
  const drawn = diagnostics.items.flatMap((item) => {
    const { range } = item;
    const own = sourceAt(source, range.start);
    const { path, lines } = own;
    const { line, column } = lines.position(range.start);
    const heading = locatedMessage(item, { file: path, line, column }, lines);
    const span = lines.span(line);
    if (line !== last.line || path !== last.path) last = { path, line, mayShowLine: mayShow(own, line, span) };
    return last.mayShowLine ? [heading, ...drawLine(lines, line, span, range, width)] : [heading];
  });
  return [...drawn, ...omittedMessage(diagnostics)];
}

/**
 * Whether a line may be shown: it must not be near the name of a secret. In a malformed file, only the distance shows
 * which text belongs to a name.
 */
function mayShow({ lines, hidden, isSecret }: Source, line: number, span: SourceRange): boolean {
  const above = lines.span(Math.max(1, line - LINES_ABOVE)).start;
  if (span.end - above > SECRET_SEARCH_LIMIT) return false;
  const near = lines.slice(above, span.end).replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => {
    return String.fromCharCode(Number.parseInt(code, 16));
  });
  const overlaps = hidden.some(({ start, end }) => start < span.end && end > span.start);
  return span.start < span.end && !overlaps && !isSecret(near);
}

function drawLine(
  lines: Source['lines'],
  line: number,
  span: SourceRange,
  { start, end }: SourceRange,
  width: number,
): string[] {
  const from = span.end - span.start <= width ? span.start : Math.max(span.start, start - Math.floor(width / 2));
  const to = Math.min(span.end, from + width);
  const gutter = String(line).padStart(GUTTER - 3);
  const mark = '^'.repeat(Math.max(1, Math.min(end, to) - start));
  return [`${gutter} | ${lines.slice(from, to)}`, `${' '.repeat(gutter.length)} | ${' '.repeat(start - from)}${mark}`];
}
