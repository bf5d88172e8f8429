import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { hasFailed, isNotRunnable } from '../../backend/command_runner.ts';
import { MIN_MASKED } from '../../backend/outputs/value_mask.ts';
import type { Outcome } from '../../backend/run_event.ts';
import type { Op } from '../../ir/plan.ts';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { elapsed, type Change, type EndedOp, type Skip } from './op_results.ts';
import { escapeForTerminal } from '../output/escape.ts';
import { annotation, escapeData } from '../output/annotation.ts';
import { formatElapsed } from '../output/quantities.ts';
import { printStderr, writeStderr, type Io } from '../output/io.ts';
import { describeDeclined, describeSkip, skipReason } from './op_text.ts';
import { describeOp, describePosition } from '../../ir/steps/describe_op.ts';
import { truncateLine } from '../../base/truncate.ts';
import type { Prepared } from '../driver/prepare_run.ts';
import { describeReady } from './file/report.ts';
import type { ReportedRun, Reporter } from './reporter_type.ts';
import { secretOutputValues, secretValues } from './secret_mask.ts';
import type { Titles } from './step_titles.ts';

/** Maximum number of rows. GitHub limits a job summary to 1 MiB, far more than this many rows with usual names. */
const MAX_ROWS = 1000;

/** Maximum length of an output line in the summary, in characters. */
const MAX_LINE = 400;

/**
 * Reports a run to GitHub Actions: masks for secrets, an annotation for each failure, and a job summary with a table
 * of the steps. See https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function githubReporter(io: Io, run: ReportedRun): Reporter {
  const { prepared, results } = run;
  const outputsOf = secretOutputValues(prepared.plan);
  const command = (lines: readonly string[]): void => {
    if (lines.length === 0) return;
    io.shared?.startLine();
    writeStderr(io, lines);
  };
  return {
    begin: () => command(masksOf(secretValues(prepared.plan, io.env))),
    hide: (value) => command(masksOf([value])),
    onEvent: (change) => {
      command(masksOf(outputsOf(change.event)));
      if (!results.isInterrupted) command(annotations(io, run, change));
    },
    onEnd: (outcome) => {
      const path = io.env['GITHUB_STEP_SUMMARY'];
      if (!path) return;
      const problem = trySystemCall(() => appendFileSync(path, jobSummary(run, outcome)));
      // A missing summary does not fail the run.
      if (problem !== undefined) printStderr(io, [`cannot write the job summary: ${problem}`], 'cli: warning: ');
    },
  };
}

/** A mask command for each line of each value. */
function masksOf(secrets: readonly string[]): string[] {
  const all = secrets.flatMap((value) => value.split(/\r\n|\r|\n/));
  const lines = new Set(all.map((line) => line.trim()).filter((line) => line.length >= MIN_MASKED));
  return [...lines].map((line) => `::add-mask::${escapeData(line)}\n`);
}

/** The annotation of a failure, or of a condition that could not be run. Other events have none. */
function annotations(io: Io, { prepared, text, titles }: ReportedRun, { event, entry }: Change): string[] {
  const { plan } = prepared;
  if (entry?.kind === 'ended' && hasFailed(entry.exit)) {
    const message = `${describeOp(plan, entry.op)} ${text.failure(entry.op, entry.exit)}`;
    return [annotationAt(io, prepared, entry.allowed ? 'warning' : 'error', message, entry.op)];
  }
  if (entry?.kind === 'skip' && isNotRunnable(entry.exit)) {
    const message = describeSkip(plan, entry.op, titles.ofSkipped(entry).name, entry.exit);
    return [annotationAt(io, prepared, 'warning', message, entry.op)];
  }
  switch (event.kind) {
    case 'declined': {
      const message = `${describeOp(plan, event.op)} ${describeDeclined(event)}`;
      return [annotationAt(io, prepared, 'error', message, event.op)];
    }
    case 'refused': {
      const message = `${describePosition(plan, event.step)} could not be started: ${event.reason}`;
      return [annotation('error', message, io.env['GITHUB_WORKSPACE'])];
    }
    case 'started':
    case 'waiting':
    case 'ended':
    case 'held':
    case 'skipped':
    case 'kept':
    case 'left out':
    case 'ready':
    case 'not ready':
    case 'group started':
    case 'member output':
    case 'group ended':
      return [];
  }
}

/** An annotation at the position of an op. */
function annotationAt(
  { env }: Io,
  { position }: Prepared,
  level: 'error' | 'warning',
  message: string,
  op: Op,
): string {
  // Standard input has no file that GitHub could show.
  const found = position(op.offset);
  const place = found.file === '<stdin>' ? undefined : { ...found, file: resolve(found.file) };
  return annotation(level, message, env['GITHUB_WORKSPACE'], place);
}

function jobSummary(run: ReportedRun, { success, interrupted }: Outcome): string {
  const { prepared, titles, results } = run;
  const { history, steps, ms } = results;
  const ending = success ? 'succeeded' : interrupted === undefined ? 'failed' : `was interrupted by ${interrupted}`;
  const rows = history.slice(0, MAX_ROWS).map((entry) => tableRow(entry, run));
  const more = history.length - rows.length;
  const unreached = steps.filter(({ status }) => status === 'not reached').length;
  return [
    `### ${plain(truncateLine(prepared.plan.workflow))} ${ending} after ${formatElapsed(ms)}`,
    '',
    '| Step | Workflow | Result | Time |',
    '| --- | --- | --- | ---: |',
    ...rows,
    ...(more > 0 ? [`| and ${more} more | | | |`] : []),
    ...history.flatMap((entry) => lastLines(entry, titles)),
    ...(unreached === 0 ? [] : ['', `Steps not reached: ${unreached}`]),
    '',
    '',
  ].join('\n');
}

/** The last lines of a failed step or hook. */
function lastLines(entry: EndedOp | Skip, titles: Titles): string[] {
  if (entry.kind === 'skip' || !hasFailed(entry.exit) || entry.allowed) return [];
  const lines = entry.output ?? [];
  if (lines.length === 0) return [];
  const summary = `<summary>Last lines of ${plain(titles.ofOp(entry.op))}</summary>`;
  // Output cannot end the element: all markup is escaped.
  return [
    '',
    '<details open>',
    summary,
    '',
    '<pre>',
    ...lines.map((line) => plain(line.slice(0, MAX_LINE))),
    '</pre>',
    '</details>',
  ];
}

function tableRow(entry: EndedOp | Skip, { text, titles }: ReportedRun): string {
  const { title, workflow } = { ...titles.of(entry), ...(entry.kind === 'skip' ? titles.ofSkipped(entry) : {}) };
  const start = `| ${plain(title)} | ${plain(workflow)} |`;
  if (entry.kind === 'skip') return `${start} skipped: ${plain(truncateLine(skipReason(entry.op, entry.exit)))} | |`;
  const { op, exit, allowed, attempts, status, readyMs } = entry;
  const how = plain(text.failure(op, exit).replace(/^failed with /, ''));
  const good = status === 'stopped' ? status : 'ok';
  const result = allowed ? how : hasFailed(exit) ? `**${how}**` : good;
  const ready = typeof readyMs === 'number' ? `, ${describeReady(readyMs)}` : '';
  return `${start} ${result}${attempts < 2 ? '' : `, ${attempts} attempts`}${ready} | ${formatElapsed(elapsed(entry))} |`;
}

/** Plain text in Markdown. Characters that could be markup become character references. */
function plain(text: string): string {
  return escapeForTerminal(text).replace(/[^\p{L}\p{N} ,./-]/gu, (sign) => `&#${sign.codePointAt(0)};`);
}
