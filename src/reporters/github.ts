import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isNotRunnable } from '../backend/command_runner.ts';
import type { Outcome, RunEvent } from '../backend/run_event.ts';
import { write } from '../backend/system/write.ts';
import type { Op } from '../ir/plan.ts';
import { trySystemCall } from '../backend/system/try_system_call.ts';
import { RunTracker, type FinishedOp, type SkippedOp } from './run_tracker.ts';
import { escapeForTerminal } from '../output/escape.ts';
import type { FailureText } from './failure_text.ts';
import { annotation, escapeData } from '../output/annotation.ts';
import { formatElapsed } from '../output/quantities.ts';
import { printStderr, type Io } from '../output/io.ts';
import { describeDeclined, describeOp, describePosition, describeSkip } from './op_text.ts';
import { truncateLine } from '../truncate.ts';
import type { Prepared } from '../driver/prepare.ts';
import type { Reporter } from './reporter.ts';
import { MIN_MASKED, SecretOutputs, secretValues } from './secret_mask.ts';

/** Maximum number of rows. GitHub limits a job summary to 1 MiB, far more than this many rows with usual names. */
const MAX_ROWS = 1000;

/** Maximum length of an output line in the summary, in characters. */
const MAX_LINE = 400;

/**
 * Reports a run to GitHub Actions: masks for secrets, an annotation for each failure, and a job summary with a table
 * of the steps. See https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function githubReporter(io: Io, prepared: Prepared, text: FailureText, isInterrupted: () => boolean): Reporter {
  const tracker = new RunTracker(prepared.plan);
  write(io.stderr, masksOf(secretValues(prepared.plan, io.env)));
  const outputs = new SecretOutputs(prepared.plan);
  return {
    onEvent: ({ event }) => {
      write(io.stderr, masksOf(outputs.valuesOf(event)));
      const change = tracker.follow(event);
      if (change === undefined || isInterrupted()) return;
      write(io.stderr, annotations(io, prepared, text, event, change));
    },
    onEnd: (outcome) => {
      const path = io.env['GITHUB_STEP_SUMMARY'];
      if (!path) return;
      const problem = trySystemCall(() =>
        appendFileSync(path, jobSummary(tracker, prepared.plan.workflow, outcome, text)),
      );
      // A missing summary does not fail the run.
      if (problem !== undefined) printStderr(io, [`cannot write the job summary: ${problem}`], 'cli: warning: ');
    },
  };
}

type Change = NonNullable<ReturnType<RunTracker['follow']>>;

/** A mask command for each line of each value. */
function masksOf(secrets: readonly string[]): string[] {
  const all = secrets.flatMap((value) => value.split(/\r\n|\r|\n/));
  const lines = new Set(all.map((line) => line.trim()).filter((line) => line.length >= MIN_MASKED));
  return [...lines].map((line) => `::add-mask::${escapeData(line)}\n`);
}

/** The annotation of a failure, or of a condition that could not be run. Other events have none. */
function annotations(io: Io, prepared: Prepared, text: FailureText, event: RunEvent, change: Change): string[] {
  const { plan } = prepared;
  if (change.kind === 'finished' && change.failed) {
    const message = `${describeOp(plan, change.op)} ${text.failure(change.op, change.exit)}`;
    return [annotationAt(io, prepared, change.allowed ? 'warning' : 'error', message, change.op)];
  }
  if (change.kind === 'skipped' && event.kind === 'skipped' && isNotRunnable(event.exit)) {
    return [annotationAt(io, prepared, 'warning', describeSkip(plan, event.op, change.name, event.exit), event.op)];
  }
  if (change.kind === 'declined') {
    const message = `${describeOp(plan, change.op)} ${describeDeclined(change)}`;
    return [annotationAt(io, prepared, 'error', message, change.op)];
  }
  if (change.kind !== 'refused') return [];
  const message = `${describePosition(plan, change.step)} could not be started: ${change.reason}`;
  return [annotation('error', message, io.env['GITHUB_WORKSPACE'])];
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

function jobSummary(
  tracker: RunTracker,
  workflow: string,
  { success, interrupted }: Outcome,
  text: FailureText,
): string {
  const ending = success ? 'succeeded' : interrupted === undefined ? 'failed' : `was interrupted by ${interrupted}`;
  const rows = tracker.history.slice(0, MAX_ROWS).map((entry) => tableRow(entry, text));
  const more = tracker.history.length - rows.length;
  return [
    `### ${plain(truncateLine(workflow))} ${ending} after ${formatElapsed(tracker.ms)}`,
    '',
    '| Step | Workflow | Result | Time |',
    '| --- | --- | --- | ---: |',
    ...rows,
    ...(more > 0 ? [`| and ${more} more | | | |`] : []),
    ...tracker.history.flatMap(lastLines),
    ...(tracker.unreached === 0 ? [] : ['', `Steps not reached: ${tracker.unreached}`]),
    '',
    '',
  ].join('\n');
}

/** The last lines of a failed step or hook. */
function lastLines(entry: FinishedOp | SkippedOp): string[] {
  if (entry.kind === 'skipped' || !entry.failed || entry.allowed) return [];
  const lines = entry.exit.printed?.lines() ?? [];
  if (lines.length === 0) return [];
  const summary = `<summary>Last lines of ${plain(entry.title)}</summary>`;
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

function tableRow(entry: FinishedOp | SkippedOp, text: FailureText): string {
  const { title, workflow } = entry;
  const start = `| ${plain(title)} | ${plain(workflow)} |`;
  if (entry.kind === 'skipped') return `${start} skipped: ${plain(entry.reason)} | |`;
  const { op, exit, failed, allowed, attempts, ms } = entry;
  const how = plain(text.failure(op, exit).replace(/^failed with /, ''));
  const result = allowed ? how : failed ? `**${how}**` : 'ok';
  return `${start} ${result}${attempts < 2 ? '' : `, ${attempts} attempts`} | ${formatElapsed(ms)} |`;
}

/** Plain text in Markdown. Characters that could be markup become character references. */
function plain(text: string): string {
  return escapeForTerminal(text).replace(/[^\p{L}\p{N} ,./-]/gu, (sign) => `&#${sign.codePointAt(0)};`);
}
