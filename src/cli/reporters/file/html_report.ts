import { isUnnamed } from '../../../base/generated_name.ts';
import { createHash } from 'node:crypto';
import { at, type Plan } from '../../../ir/plan.ts';
import { truncateLine } from '../../../base/truncate.ts';
import { formatElapsed } from '../../output/quantities.ts';
import { escapeMarkup } from './escape_markup.ts';
import { describeResult, isBad, isEmpty, type Report, type ReportOp } from './report.ts';
import { SIGNS, STYLE } from './html_style.ts';
import { axis, share, tickOf, timeCells } from './html_timeline.ts';
import { groupedRows, groupsOf, summarize } from './html_summary.ts';
import type { ReportGroup, ReportRow, ReportSummary, TimeSpan } from './html_summary.ts';

/** Maximum indentation. */
const MAX_DEPTH = 4;

/**
 * A report as a self-contained HTML page without scripts: a summary, and a table of all steps with a timeline. Times of
 * day are in UTC. The plan has the groups of steps; it is not known for the record of a run.
 */
export function* html(report: Report, plan?: Plan): Generator<string> {
  const groups = plan === undefined ? [] : groupsOf(plan);
  const { duration_ms: total, workflow, success } = report;
  const summary = summarize(report, groups);
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
<header>
<h1>${escapeMarkup(workflow)}</h1>
<p class="${success ? 'outcome' : 'outcome failed'}">${outcome} after ${formatElapsed(total)}${isEmpty(summary.counts) ? ', but no step ran' : ''}</p>
</header>
<main>
<h2>Summary</h2>
<dl>
${facts(report, summary)}</dl>
<h2 id="steps">Steps</h2>
${filter(summary)}<table aria-labelledby="steps">
<thead>
<tr><th class="step" scope="col">Step</th><th class="result" scope="col">Result</th><th class="time" scope="col">Time</th>\
<th class="line" scope="col"><span class="hidden">Timeline</span>${axis(tick, total)}</th></tr>
</thead>
<tbody>
`;
  const shown = new Set<number | null>([null, 0]);
  for (const each of groupedRows(report, groups)) {
    const { around, begun } = each;
    const outer = around.length - begun.length;
    for (const [index, group] of begun.entries()) {
      for (const inner of newAncestors(report, group.call, shown)) yield callRow(report, summary, inner, outer + index);
      yield groupRow(report, summary, group, outer + index);
    }
    const { call } = each.op;
    for (const inner of newAncestors(report, call, shown)) yield callRow(report, summary, inner, around.length);
    yield row(each, (call === null ? 0 : at(summary.depths, call)) + around.length, total);
  }
  yield '</tbody>\n</table>\n</main>\n</body>\n</html>\n';
}

function button(id: string, text: string, more = ''): string {
  return `<label><input type="radio" name="show" id="${id}"${more}> ${text}</label>\n`;
}

/** Radio buttons that filter the rows without a script: the style sheet hides rows. */
function filter({ counts, failed, moreFailed }: ReportSummary): string {
  const bad = failed.length + moreFailed + (counts.get('allowed to fail') ?? 0);
  const buttons = [
    button('show-all', 'All', ' checked'),
    button('show-failed', `Failed (${bad})`),
    button('show-skipped', `Skipped (${counts.get('skipped') ?? 0})`),
    button('show-not-reached', `Not reached (${counts.get('not reached') ?? 0})`),
  ];
  return `<fieldset>\n<legend>Show</legend>\n${buttons.join('')}</fieldset>\n`;
}

function facts(
  { start, summary, tool, host, git, params, note = '' }: Report,
  { slowest, failed, moreFailed }: ReportSummary,
): string {
  const failures = failed.map((each) => `${link(each)}: ${escapeMarkup(describeResult(each.op))}`);
  const slow = slowest.map((each) => `${link(each)} ${formatElapsed(each.op.duration_ms ?? 0)}`);
  const all = [
    ['Failed', [...failures, ...(moreFailed === 0 ? [] : [`and ${moreFailed} more`])].join('<br>')],
    ['Steps', summary],
    ['Slowest', slow.length < 2 ? '' : slow.join(', ')],
    ['Started', `${moment(start)} UTC`],
    [
      'Parameters',
      Object.entries(params)
        .map(([name, value]) => `<code>${escapeMarkup(`${name}=${value}`)}</code>`)
        .join('<br>'),
    ],
    [
      'Revision',
      git === null || git.revision === null
        ? ''
        : `<code>${escapeMarkup(git.revision)}</code>${git.dirty ? ', with changes' : ''}`,
    ],
    ['Host', escapeMarkup(`${host}, cli ${tool}`)],
    ['Note', escapeMarkup(note)],
  ] as const;
  return all.map(([name, text]) => (text === '' ? '' : `<dt>${name}</dt><dd>${text}</dd>\n`)).join('');
}

function link({ op, index }: ReportRow): string {
  return `<a href="#op${index}">${escapeMarkup(titleOf(op))}</a>`;
}

/** The title of an op, truncated. */
function titleOf({ kind, name, step, workflow, command }: ReportOp): string {
  if (kind === 'condition') return `if ${truncateLine(command)}`;
  if (kind === 'hook') return truncateLine(`hook ${name}${workflow === null ? '' : ` of ${workflow}`}`);
  return truncateLine(isUnnamed({ name, step }) ? command : (name ?? command));
}

/** A call and its callers without a row yet, outermost first. */
function newAncestors({ calls }: Report, call: number | null, shown: Set<number | null>): number[] {
  const found: number[] = [];
  for (let each = call; each !== null && !shown.has(each); each = at(calls, each).caller) {
    shown.add(each);
    found.push(each);
  }
  return found.toReversed();
}

/** `around`: the number of groups around the call. */
function callRow(
  { calls, duration_ms: total }: Report,
  { depths, spans }: ReportSummary,
  call: number,
  around: number,
): string {
  const { workflow, caller, step, name } = at(calls, call);
  const own = isUnnamed({ name, step }) ? '' : `${truncateLine(name ?? '')}, `;
  const from = `${own}step ${step} of ${truncateLine(at(calls, caller ?? 0).workflow)}`;
  return outerRow(truncateLine(workflow), from, at(depths, call) - 1 + around, spans[call], total);
}

function groupRow(
  { calls, duration_ms: total }: Report,
  { depths, groupSpans }: ReportSummary,
  group: ReportGroup,
  around: number,
): string {
  const { name, call, step, members } = group;
  const title = isUnnamed({ name, step }) ? 'group' : truncateLine(name);
  const from = `${members} in parallel, step ${step} of ${truncateLine(at(calls, call).workflow)}`;
  return outerRow(title, from, at(depths, call) + around, groupSpans.get(group), total);
}

/** The row of a call or group, above those of its steps. */
function outerRow(title: string, from: string, depth: number, span: TimeSpan | undefined, total: number): string {
  const classes = `call d${Math.min(depth, MAX_DEPTH)}${span === undefined ? ' none' : ''}`;
  return `<tr class="${classes}"><th class="step" scope="row">${escapeMarkup(title)} <small>${escapeMarkup(from)}</small></th>\
<td class="result"></td>${timeCells(span, total)}</tr>\n`;
}

function row({ op, index }: ReportRow, depth: number, total: number): string {
  const { status, kind, offset_ms: from, duration_ms: ms } = op;
  const bad = isBad(op);
  const span = from === null || ms === null ? undefined : { from, to: from + ms };
  const classes = [
    `d${Math.min(depth, MAX_DEPTH)}`,
    span === undefined ? 'none' : '',
    kind === 'condition' ? kind : '',
    bad ? 'failed' : op.allowed ? 'allowed' : status.replace(' ', '-'),
  ];
  return `<tr id="op${index}" class="${classes.filter(Boolean).join(' ')}"><th class="step" scope="row">\
<details${bad ? ' open' : ''}><summary>${escapeMarkup(titleOf(op))}</summary>${details(op)}</details></th>\
<td class="result">${SIGNS[status]} ${escapeMarkup(describeResult(op))}</td>${timeCells(span, total)}</tr>\n`;
}

function details(op: ReportOp): string {
  const { name, command, file, line, column, start, end, output, reason } = op;
  const place = line === 0 ? '' : escapeMarkup(`${file}:${line}:${column}`);
  // The column of results shows only its beginning beside an open row.
  const result = reason === null ? '' : `<p>${escapeMarkup(describeResult(op))}</p>`;
  const when = start === null || end === null ? '' : `<br>${moment(start)} to ${clock(end)} UTC`;
  // The full name, if the title is truncated.
  const whole = name === null || name === truncateLine(name) ? '' : escapeMarkup(name);
  const lines = (output ?? []).map((each) => `${escapeMarkup(each)}\n`).join('');
  const printed =
    lines === ''
      ? ''
      : `<pre class="output" tabindex="0" role="group" aria-label="Last lines of output">${lines}</pre>`;
  return `<div>${whole}${result}<pre tabindex="0">${escapeMarkup(command)}</pre>${place}${when}${printed}</div>`;
}

/** A date and a time of day. */
function moment(iso: string): string {
  return `${iso.slice(0, 10)} ${clock(iso)}`;
}

function clock(iso: string): string {
  return `<time datetime="${iso}">${iso.slice(11, -1)}</time>`;
}
