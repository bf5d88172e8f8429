import type { Findings, Range } from './diagnostic.ts';
import type { Lines } from './lines.ts';
import { message } from './message.ts';
import { hideSecrets } from './hide_secrets.ts';

/**
 * What drawing needs to know: how the file is called, its text, and whether a variable's name says
 * that its value is secret.
 */
export type Source = Readonly<{ path: string; lines: Lines; isSecret: (name: string) => boolean }>;

/** At most this many columns of a source line are shown around the place. */
const WIDTH = 100;

/** Findings for people: `file:line:column: …`, the source line, and a mark under the place. */
export function draw(findings: Findings, { path, lines, isSecret }: Source): string[] {
  if (findings.items.length === 0) return [];
  const text = hideSecrets(lines.text, isSecret);
  const drawn = findings.items.flatMap((item) => {
    const { severity, range } = item;
    const owner = item.place.workflow === '' ? '' : `workflow '${item.place.workflow}': `;
    const { line, column } = lines.position(range.start);
    const heading = `${path}:${line}:${column}: ${severity}: ${owner}${message(item, lines)}`;
    const span = lines.span(line);
    return span.start === span.end ? [heading] : [heading, ...drawLine(text, line, span, range)];
  });
  return findings.omitted === 0 ? drawn : [...drawn, `and ${findings.omitted} more errors`];
}

function drawLine(text: string, line: number, span: Range, { start, end }: Range): string[] {
  const from = span.end - span.start <= WIDTH ? span.start : Math.max(span.start, start - WIDTH / 2);
  const to = Math.min(span.end, from + WIDTH);
  const gutter = String(line).padStart(5);
  const mark = '^'.repeat(Math.max(1, Math.min(end, to) - start));
  return [`${gutter} | ${text.slice(from, to)}`, `${' '.repeat(gutter.length)} | ${' '.repeat(start - from)}${mark}`];
}
