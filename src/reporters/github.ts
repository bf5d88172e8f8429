import { appendFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Outcome } from '../backend/execute.ts';
import { write } from '../backend/system/write.ts';
import type { OutputRead } from '../ir/plan.ts';
import { isSecret } from '../ir/mask.ts';
import { trySystemCall } from '../backend/system/try_system_call.ts';
import { RunTracker, type FinishedOp, type SkippedOp } from './run_tracker.ts';
import { escapeForTerminal } from '../output/escape.ts';
import { endingWords, short } from './failure_text.ts';
import { escapeData } from './log_groups.ts';
import { formatElapsed } from '../output/style.ts';
import { say, type Io } from '../output/io.ts';
import { subject } from './plain.ts';
import type { Prepared } from '../driver/prepare.ts';
import type { Reporter } from './reporter.ts';

/** A summary of GitHub may have a mebibyte; so many rows of usual names are well below it. */
const MOST_ROWS = 1000;

/** Shorter lines of a secret are not masked: every log is full of them. */
const SHORTEST_MASKED = 3;

/**
 * Speaks to GitHub Actions: the secrets to mask, at once; an annotation where a command failed; a table of the steps
 * for the summary of the job. See https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function githubReporter(io: Io, prepared: Prepared, isInterrupted: () => boolean): Reporter {
  const tracker = new RunTracker(prepared.plan);
  write(io.stderr, masks(io, prepared));
  const read = readAsSecrets(prepared);
  return {
    onEvent: (event) => {
      if (event.kind === 'ended' && event.exit.kind === 'exited' && event.exit.outputs?.ok === true) {
        const from = prepared.plan.ops.indexOf(event.op);
        const given = event.exit.outputs.values;
        write(io.stderr, masksOf(given.filter(([name]) => isSecret(name) || read.has(key({ from, output: name })))));
      }
      const happening = tracker.follow(event);
      if (happening?.kind !== 'ran' || !happening.failed || isInterrupted()) return;
      write(io.stderr, [annotation(io, prepared, happening)]);
    },
    onEnd: (outcome) => {
      const path = io.env['GITHUB_STEP_SUMMARY'];
      if (!path) return;
      const problem = trySystemCall(() => appendFileSync(path, jobSummary(tracker, prepared.plan.workflow, outcome)));
      // A summary that is lost is no reason to fail a run that went well.
      if (problem !== undefined) say(io, [`cannot write the summary of the job: ${problem}`], 'cli: warning: ');
    },
  };
}

/** A command that masks each line of each secret that the run's commands can see, but for what steps will give. */
function masks({ env }: Io, { plan }: Prepared): string[] {
  const written = plan.frames.flatMap(({ vars }) => vars.filter(([, , reads]) => reads === undefined));
  return masksOf([...Object.entries(env), ...written, ...plan.params].filter(([name]) => isSecret(name)));
}

/** The outputs that are read into a variable whose name says secret, whatever their own names say. */
function readAsSecrets({ plan }: Prepared): ReadonlySet<string> {
  const secret = plan.frames.flatMap(({ vars }) => vars.filter(([name]) => isSecret(name)));
  return new Set(secret.flatMap(([, , reads = []]) => reads.map(key)));
}

const key = ({ from, output }: Pick<OutputRead, 'from' | 'output'>): string => `${from} ${output}`;

/** A variable, whatever else is known of it. */
type Named = readonly [name: string, value: string | undefined, ...rest: unknown[]];

function masksOf(secrets: readonly Named[]): string[] {
  const all = secrets.flatMap(([, value = '']) => value.split(/\r\n|\r|\n/));
  const lines = new Set(all.map((line) => line.trim()).filter((line) => line.length >= SHORTEST_MASKED));
  return [...lines].map((line) => `::add-mask::${escapeData(line)}\n`);
}

/** An error, or a warning if it may fail, at the place of the failed command, as GitHub shows it in the file. */
function annotation({ env }: Io, { plan, path, position }: Prepared, { op, exit, allowed }: FinishedOp): string {
  const { line, column } = position(op.offset);
  const file = relative(env['GITHUB_WORKSPACE'] || '.', resolve(path));
  const place = `file=${escapeProperty(file)},line=${line},col=${column}`;
  const message = escapeForTerminal(`${subject(plan, op)} ${endingWords(op, exit)}`);
  // What came through standard input is no file that could be shown.
  return `::${allowed ? 'warning' : 'error'}${path === '<stdin>' ? '' : ` ${place}`}::${escapeData(message)}\n`;
}

function escapeProperty(text: string): string {
  return escapeData(text).replace(/[:,]/g, encodeURIComponent);
}

function jobSummary(tracker: RunTracker, workflow: string, { success, interrupted }: Outcome): string {
  const ending = success ? 'succeeded' : interrupted === undefined ? 'failed' : `was interrupted by ${interrupted}`;
  const rows = tracker.history.slice(0, MOST_ROWS).map(tableRow);
  const more = tracker.history.length - rows.length;
  return [
    `### ${plain(short(workflow))} ${ending} after ${formatElapsed(tracker.ms)}`,
    '',
    '| Step | Workflow | Result | Time |',
    '| --- | --- | --- | ---: |',
    ...rows,
    ...(more > 0 ? [`| and ${more} more | | | |`] : []),
    ...(tracker.unreached === 0 ? [] : ['', `Steps not reached: ${tracker.unreached}`]),
    '',
    '',
  ].join('\n');
}

function tableRow(happening: FinishedOp | SkippedOp): string {
  const { title, workflow } = happening;
  const start = `| ${plain(title)} | ${plain(workflow)} |`;
  if (happening.kind === 'skipped') return `${start} skipped: ${plain(happening.reason)} | |`;
  const { op, exit, failed, allowed, attempts, ms } = happening;
  const how = plain(endingWords(op, exit).replace(/^failed with /, ''));
  const result = allowed ? how : failed ? `**${how}**` : 'ok';
  return `${start} ${result}${attempts === 1 ? '' : `, ${attempts} attempts`} | ${formatElapsed(ms)} |`;
}

/** Text in Markdown that is nothing but text: whatever could be markup is a character reference. */
function plain(text: string): string {
  return escapeForTerminal(text).replace(/[^\p{L}\p{N} ,./-]/gu, (sign) => `&#${sign.codePointAt(0)};`);
}
