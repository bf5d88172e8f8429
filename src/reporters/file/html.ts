import { createHash } from 'node:crypto';
import { at } from '../../ir/plan.ts';
import { truncateLine } from '../../truncate.ts';
import { describeExitCode } from '../failure_text.ts';
import { formatElapsed } from '../../output/style.ts';
import { escapeMarkup } from './escape_markup.ts';
import type { Report, ReportOp, Status } from './recorder.ts';
import { STYLE } from './html_style.ts';
import { visibleOps, summarize, type Row, type Span, type ReportSummary } from './html_summary.ts';

/** Calls in calls are indented so far and no further. */
const DEEPEST = 4;

const SIGNS: Readonly<Record<Status, string>> = {
  succeeded: '✓',
  failed: '✗',
  'not started': '✗',
  met: '✓',
  'not met': '–',
  skipped: '–',
  'not reached': '○',
};

/**
 * A report as a page that needs nothing else, no script and no network: a summary, and a table of what ran and what did
 * not, with a timeline. Times on the wall are those of UTC.
 */
export function* html(report: Report): Generator<string> {
  const { duration_ms: total, workflow, success } = report;
  const seen = summarize(report);
  const tick = tickOf(total);
  const style = `${STYLE}:root { --tick: ${share(tick, total)}; }\n`;
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const interruption = report.interrupted === null ? 'failed' : `interrupted by ${report.interrupted}`;
  const outcome = success ? '✓ succeeded' : `✗ ${interruption}`;
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${outcome}: ${escapeMarkup(truncateLine(workflow))}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeMarkup(workflow)}</h1>
<p class="${success ? 'outcome' : 'outcome failed'}">${outcome} after ${formatElapsed(total)}</p>
<dl>
${facts(report, seen)}</dl>
<table>
<thead>
<tr><th class="step">Step</th><th class="result">Result</th><th class="time">Time</th>\
<th class="line" aria-label="Timeline">${axis(tick, total)}</th></tr>
</thead>
<tbody>
`;
  const shown = new Set<number | null>([null, 0]);
  for (const each of visibleOps(report)) {
    const { call } = each.op;
    for (const inner of newAncestors(report, call, shown)) yield callRow(report, seen, inner);
    yield row(each, call === null ? 0 : at(seen.depths, call), total);
  }
  yield '</tbody>\n</table>\n</body>\n</html>\n';
}

function facts({ start }: Report, { counts, slowest, failed, moreFailed }: ReportSummary): string {
  const failures = failed.map((each) => `${link(each)}: ${escapeMarkup(resultOf(each.op))}`);
  const slow = slowest.map((each) => `${link(each)} ${formatElapsed(each.op.duration_ms ?? 0)}`);
  const all = [
    ['Failed', [...failures, ...(moreFailed === 0 ? [] : [`and ${moreFailed} more`])].join('<br>')],
    ['Steps', [...counts].map(([status, count]) => `${count} ${status}`).join(', ')],
    ['Slowest', slow.length < 2 ? '' : slow.join(', ')],
    ['Started', `${moment(start)} UTC`],
  ] as const;
  const known = all.filter(([, text]) => text !== '');
  return known.map(([name, text]) => `<dt>${name}</dt><dd>${text}</dd>\n`).join('');
}

function link({ op, index }: Row): string {
  return `<a href="#op${index}">${escapeMarkup(titleOf(op))}</a>`;
}

/** What an op is called, at a usual length. */
function titleOf({ kind, name, command }: ReportOp): string {
  if (kind === 'condition') return `if ${truncateLine(command)}`;
  return kind === 'hook' ? `hook ${name}` : truncateLine(name ?? command);
}

/** Those of a call and the calls around it that have no row yet, the outermost first. */
function newAncestors({ calls }: Report, call: number | null, shown: Set<number | null>): number[] {
  const found: number[] = [];
  for (let each = call; each !== null && !shown.has(each); each = at(calls, each).caller) {
    shown.add(each);
    found.push(each);
  }
  return found.toReversed();
}

function callRow({ calls, duration_ms: total }: Report, { depths, spans }: ReportSummary, call: number): string {
  const { workflow, caller, step, name } = at(calls, call);
  const own = name === `step_${step}` ? '' : `${truncateLine(name ?? '')}, `;
  const from = `${own}step ${step} of ${truncateLine(at(calls, caller ?? 0).workflow)}`;
  const span = spans[call];
  const classes = `call d${Math.min(at(depths, call) - 1, DEEPEST)}${span === undefined ? ' none' : ''}`;
  return `<tr class="${classes}"><th class="step" scope="row">${escapeMarkup(truncateLine(workflow))} <small>${escapeMarkup(from)}</small></th>\
<td class="result"></td>${times(span, total)}</tr>\n`;
}

function row({ op, index }: Row, depth: number, total: number): string {
  const { status, kind, offset_ms: from, duration_ms: ms } = op;
  const isBad = (status === 'failed' || status === 'not started') && !op.allowed;
  const span = from === null || ms === null ? undefined : { from, to: from + ms };
  const classes = [
    `d${Math.min(depth, DEEPEST)}`,
    span === undefined ? 'none' : '',
    kind === 'condition' ? kind : '',
    isBad ? 'failed' : op.allowed ? 'allowed' : status.replace(' ', '-'),
  ];
  return `<tr id="op${index}" class="${classes.filter(Boolean).join(' ')}"><th class="step" scope="row">\
<details${isBad ? ' open' : ''}><summary>${escapeMarkup(titleOf(op))}</summary>${details(op)}</details></th>\
<td class="result">${SIGNS[status]} ${escapeMarkup(resultOf(op))}</td>${times(span, total)}</tr>\n`;
}

/** What became of an op, in words. */
function resultOf({ status, reason, attempts, allowed, exit_code }: ReportOp): string {
  const tries = `${allowed ? ' (allowed)' : ''}${attempts > 1 ? `, ${attempts} attempts` : ''}`;
  if (status === 'failed')
    return `${reason === null ? describeExitCode(exit_code ?? 0) : truncateLine(reason)}${tries}`;
  return `${status}${tries}${reason === null ? '' : `: ${truncateLine(reason)}`}`;
}

function details({ name, command, file, line, column, frame, start, end }: ReportOp): string {
  const place = escapeMarkup(`${file}:${line}:${column}, ${frame}`);
  const when = start === null || end === null ? '' : `<br>${moment(start)} to ${clock(end)} UTC`;
  // Where the title is cut, the name stands here.
  const whole = name === null || name === truncateLine(name) ? '' : escapeMarkup(name);
  return `<div>${whole}<pre>${escapeMarkup(command)}</pre>${place}${when}</div>`;
}

/** The day and the time of one. */
function moment(iso: string): string {
  return `${iso.slice(0, 10)} ${clock(iso)}`;
}

function clock(iso: string): string {
  return `<time datetime="${iso}">${iso.slice(11, -1)}</time>`;
}

/** The cells of a row that say how long something took, and when that was. */
function times(span: Span | undefined, total: number): string {
  if (span === undefined) return '<td class="time"></td><td class="line"></td>';
  const { from, to } = span;
  // Whatever ran can be seen.
  const width = Math.max(to - from, total / 200);
  const x = share(Math.min(from, total - width), total);
  const words = `${formatElapsed(to - from)}, from ${formatElapsed(from)} to ${formatElapsed(to)}`;
  return `<td class="time">${formatElapsed(to - from)}</td><td class="line"><svg role="img" aria-label="${words}">\
<title>${words}</title><rect x="${x}" y="25%" width="${share(width, total)}" height="50%" rx="2"/></svg></td>`;
}

function share(ms: number, total: number): string {
  return `${Number(((100 * ms) / Math.max(total, 1)).toFixed(3))}%`;
}

const [MINUTE, HOUR] = [60_000, 3_600_000];

/** Distances that the marks of a time axis may have; from hours on, multiples of an hour. */
const TICKS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  1000,
  2000,
  5000,
  10_000,
  15_000,
  30_000,
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
];

/** So many marks at most (and one at the start), so that their words have room on a phone. */
const MOST_TICKS = 4;

function tickOf(total: number): number {
  const least = total / MOST_TICKS;
  return TICKS.find((tick) => tick >= least) ?? Math.ceil(least / HOUR) * HOUR;
}

function axis(tick: number, total: number): string {
  const marks: string[] = [];
  // Words that begin further to the right would not end in the column.
  for (let ms = 0; ms <= total * 0.88; ms += tick) {
    const words = formatElapsed(ms).replace(/\.0(?= s$)| 0 (?:s|min)$/, '');
    marks.push(`<text x="${share(ms, total)}" dx="4" y="1.5rem">${ms === 0 ? '0' : words}</text>`);
  }
  return `<svg>${marks.join('')}</svg>`;
}
