import type { DiagnosticList, SourceRange } from './diagnostic.ts';
import { message, moreOf } from './message.ts';
import type { ParsedFile } from '../parse.ts';

/**
 * What drawing needs to know: how the file is called, its text, where it may hold secrets without a
 * name that says so, and whether a text holds a name that says so.
 */
export type Source = Pick<ParsedFile, 'lines' | 'hidden'> &
  Readonly<{ path: string; isSecret: (text: string) => boolean }>;

/** At most this many columns of a source line are shown around the place. */
const WIDTH = 100;

/** What stands in front of them: the number of the line and a bar. */
const GUTTER = 8;

/** A secret's name may stand this many lines above it. */
const LINES_ABOVE = 5;

/** Where more characters than this are near, no line is shown: to look for names in megabytes takes a second. */
const SECRET_SEARCH_LIMIT = 100_000;

/**
 * Findings for people: `file:line:column: …`, the source line, and a mark under the place; the latter two in so many
 * columns, because a mark under a line that is wrapped stands anywhere.
 */
export function renderCodeFrames(findings: DiagnosticList, source: Source, columns = Infinity): string[] {
  const { path, lines } = source;
  const width = Math.min(WIDTH, columns - GUTTER);
  /** Many findings may stand on one very long line. */
  let last = { line: 0, mayShowLine: false };
  const drawn = findings.items.flatMap((item) => {
    const { severity, range } = item;
    const owner = item.owner.workflow === '' ? '' : `workflow '${item.owner.workflow}': `;
    const { line, column } = lines.position(range.start);
    const heading = `${path}:${line}:${column}: ${severity}: ${owner}${message(item, lines)}`;
    const span = lines.span(line);
    if (line !== last.line) last = { line, mayShowLine: mayShow(source, line, span) };
    return last.mayShowLine ? [heading, ...drawLine(lines.text, line, span, range, width)] : [heading];
  });
  return [...drawn, ...moreOf(findings)];
}

/**
 * A line near a secret-looking name is not shown at all. The file may be broken in any way, so that
 * nothing but the distance tells what belongs to the name.
 */
function mayShow({ lines, hidden, isSecret }: Source, line: number, span: SourceRange): boolean {
  const above = lines.span(Math.max(1, line - LINES_ABOVE)).start;
  if (span.end - above > SECRET_SEARCH_LIMIT) return false;
  const near = lines.text.slice(above, span.end).replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => {
    return String.fromCharCode(Number.parseInt(code, 16));
  });
  const overlaps = hidden.some(({ start, end }) => start < span.end && end > span.start);
  return span.start < span.end && !overlaps && !isSecret(near);
}

function drawLine(text: string, line: number, span: SourceRange, { start, end }: SourceRange, width: number): string[] {
  const from = span.end - span.start <= width ? span.start : Math.max(span.start, start - Math.floor(width / 2));
  const to = Math.min(span.end, from + width);
  const gutter = String(line).padStart(GUTTER - 3);
  const mark = '^'.repeat(Math.max(1, Math.min(end, to) - start));
  return [`${gutter} | ${text.slice(from, to)}`, `${' '.repeat(gutter.length)} | ${' '.repeat(start - from)}${mark}`];
}
