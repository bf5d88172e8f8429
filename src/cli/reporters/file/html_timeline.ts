import { formatElapsed } from '../../output/quantities.ts';
import type { TimeSpan } from './html_summary.ts';

/** The cells with the time and the timeline of a row. */
export function timeCells(span: TimeSpan | undefined, total: number): string {
  if (span === undefined) return '<td class="time"></td><td class="line"></td>';
  const { from, to } = span;
  // The shortest bar is still visible.
  const width = Math.max(to - from, total / 200);
  const x = share(Math.min(from, total - width), total);
  const label = `${formatElapsed(to - from)}, from ${formatElapsed(from)} to ${formatElapsed(to)}`;
  return `<td class="time">${formatElapsed(to - from)}</td><td class="line"><svg role="img" aria-label="${label}">\
<title>${label}</title><rect x="${x}" y="25%" width="${share(width, total)}" height="50%" rx="2"/></svg></td>`;
}

/** A duration as a percentage of the run's time. */
export function share(ms: number, total: number): string {
  return `${Number(((100 * ms) / Math.max(total, 1)).toFixed(3))}%`;
}

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** The intervals between the marks of the time axis; longer ones are multiples of an hour. */
const TICKS = [
  ...[1, 10, 100, SECOND].flatMap((unit) => [unit, 2 * unit, 5 * unit]),
  ...[10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
];

/** Maximum number of marks after 0, so that their labels fit on a phone. */
const MAX_TICKS = 4;

/** The interval between the marks of the axis. */
export function tickOf(total: number): number {
  const least = total / MAX_TICKS;
  return TICKS.find((tick) => tick >= least) ?? Math.ceil(least / HOUR) * HOUR;
}

/** The marks of an axis: their places, and their labels. */
export function marksOf(tick: number, total: number): readonly Readonly<{ x: string; label: string }>[] {
  const marks: { x: string; label: string }[] = [];
  // A label further to the right would not fit into the column.
  for (let ms = 0; ms <= total * 0.88; ms += tick) {
    const words = formatElapsed(ms).replace(/\.0(?= s$)| 0 (?:s|min)$/, '');
    marks.push({ x: share(ms, total), label: ms === 0 ? '0' : words });
  }
  return marks;
}

/** The marks of the axis with their labels. */
export function axis(tick: number, total: number): string {
  const marks = marksOf(tick, total).map(({ x, label }) => `<text x="${x}" dx="4" y="1.5rem">${label}</text>`);
  return `<svg>${marks.join('')}</svg>`;
}
