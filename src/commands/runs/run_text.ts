import { closeSync, fstatSync, readSync } from 'node:fs';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { describeDamage, isResumable } from '../../driver/runs/find_run.ts';
import { openLog } from '../../journal/directory/run_files.ts';
import { endOf, type RecordedRun } from '../../journal/journal.ts';
import type { RunState } from '../../journal/run_state.ts';
import { isUnnamed } from '../../generated_name.ts';
import { formatElapsed } from '../../output/quantities.ts';
import type { Rules } from '../../output/paint.ts';
import { widthOf, wrap } from '../../output/text_width.ts';
import { describeExitCode } from '../../reporters/failure_text.ts';
import { truncateLine, truncateLines } from '../../truncate.ts';
import { listedOps, type CommandNumber, type RecordedOp, type RecordedReport } from '../../door/recorded_report.ts';
import { formatAge } from './runs_table.ts';

/** The number of lines of output below a failed step, and the bytes of its log that are read for them. */
const [LINES, BYTES] = [10, 65_536] as const;

/** A control sequence that selects a colour or a style: SGR (ECMA-48, 8.3.117). */
const COLOUR = new RegExp(String.raw`\x1B\[[\d;:]*m`, 'g');

/** A run to show. `name` is that by which commands find it, `runs` the directory of all runs. */
export type ShownRun = Readonly<{ run: RecordedRun; state: RunState; name: string; runs: string; now: number }>;

/** The colours of the lines. */
export const RUN_RULES: Rules = [
  [/^run .*/, 'bold'],
  [/^ {2}✓/, 'green'],
  [/^ {2}✗.*/, 'red'],
  [/^ {2}▸.*/, 'cyan'],
  [/^ {2}[○–=].*|^ {6}.*/, 'faint'],
];

/** A line as lines of at most `columns`, broken at words and indented further. Output of commands is not broken. */
export function brokenLine(line: string, columns = Infinity): readonly string[] {
  if (widthOf(line) <= columns || /^ {6}\| /.test(line)) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const parts = wrap(line.slice(indent.length), columns - indent.length - 4);
  return parts.map((part, index) => `${indent}${index === 0 ? '' : '    '}${part}`);
}

/** A recorded run for people, as lines that are not escaped. `report` is undefined for a record that cannot be read. */
export function* runLines(shown: ShownRun, report: RecordedReport | undefined): Generator<string> {
  const { run, state, name } = shown;
  yield headLine(shown, report);
  for (const reason of reasonsOf(shown)) yield `  ${reason}`;
  if (report === undefined) return;
  for (const op of listedOps(report)) yield* stepLines(shown, op);
  if (!report.isPlanned && state !== 'succeeded') yield '  steps that did not start are not recorded';
  const needsArguments = (run.sessions.at(-1)?.header.args ?? 0) > 0;
  if (isResumable(run)) yield `to continue: cli resume ${name}${needsArguments ? ' -- ARGUMENT ...' : ''}`;
}

function headLine({ run, state, now }: ShownRun, report: RecordedReport | undefined): string {
  if (report === undefined) return `run ${run.id}: ${state}`;
  const last = run.sessions.at(-1);
  const isOver = last !== undefined && endOf(last) !== undefined;
  const [began, ended] = [Date.parse(report.start), Date.parse(report.end)];
  const times = isOver
    ? `${state} after ${formatElapsed(report.duration_ms)}, ${formatAge(now - ended)} ago`
    : `${state}, started ${formatAge(now - began)} ago`;
  const resumed = run.sessions.length > 1 ? `, resumed ${run.sessions.length - 1}×` : '';
  return `run ${run.id} of workflow ${truncateLines(report.workflow)}: ${times}${resumed}`;
}

/** What a state means for the reader, unless the steps show it. */
function reasonsOf({ run, state, name }: ShownRun): readonly string[] {
  const last = run.sessions.at(-1);
  const reasons: Readonly<Partial<Record<RunState, string>>> = {
    crashed: 'its process ended without recording an end',
    lost: 'its journal could not be written completely; it cannot be resumed',
    unclear: `it may still be running on ${last?.header.host} (process ${last?.header.pid}); if not: cli resume ${name} --take-over`,
    stopped: 'a part of the workflow was selected; other steps are left',
    damaged: run.damage === null ? '' : describeDamage(run),
    interrupted: `by ${last && endOf(last)?.interrupted}`,
  };
  const reason = reasons[state];
  const foreign = 'the record is foreign: this user did not write it on this machine';
  return [...(reason === undefined ? [] : [reason]), ...(run.foreign ? [foreign] : [])];
}

function* stepLines({ run, runs }: ShownRun, op: RecordedOp): Generator<string> {
  const { status, duration_ms: ms, kind, path } = op;
  const name = kind === 'step' ? stepName(op) : kind === 'hook' ? `hook ${path}` : `if of ${path}`;
  const took = ms === null ? '' : formatElapsed(ms);
  const isFailed = status === 'failed' || status === 'not started' || status === 'declined';
  if (!isFailed) {
    const sign = SIGNS[status];
    const details = [status === 'succeeded' ? '' : status, took].filter((text) => text !== '').join(', ');
    yield `  ${sign} ${name}  ${details}`.trimEnd();
    return;
  }
  const words = [describeFailure(op), ...(op.allowed ? ['allowed'] : []), ...(took === '' ? [] : [took])];
  yield `  ✗ ${name}  ${words.join(', ')}`;
  if (op.allowed) return;
  const place = op.file === '' ? '' : `at ${op.file}:${op.line}:${op.column}: `;
  yield `      ${place}${truncateLines(op.command)}`;
  const command = op.commands.at(-1);
  const output = command === undefined ? undefined : lastLines(runs, run.id, command);
  if (output === undefined) yield '      its output is not stored: run with --logs';
  else for (const line of output) yield `      | ${line}`;
}

/** The path of a step, by which commands find it, and the command of a step without a name. */
function stepName(op: RecordedOp): string {
  return isUnnamed(op) ? `${op.path} (${truncateLine(op.command)})` : op.path;
}

const SIGNS = {
  succeeded: '✓',
  met: '✓',
  running: '▸',
  kept: '=',
  skipped: '–',
  'not met': '–',
  'left out': '○',
  'not reached': '○',
} as const;

function describeFailure({ reason, exit_code: code, attempts }: RecordedOp): string {
  const tries = attempts > 1 ? ` in attempt ${attempts}` : '';
  if (reason !== null) return `failed: ${truncateLines(reason)}${tries}`;
  return code === null ? `failed${tries}` : `failed with ${describeExitCode(code)}${tries}`;
}

/** The last lines of the log of a command; undefined if there is none. */
function lastLines(runs: string, run: string, { session, n }: CommandNumber): readonly string[] | undefined {
  const descriptor = openLog(runs, run, session, n);
  if (typeof descriptor === 'string') return undefined;
  const buffer = Buffer.alloc(BYTES);
  const start = Math.max(0, fstatSync(descriptor).size - BYTES);
  const read = trySystemCall(() => readSync(descriptor, buffer, 0, BYTES, start));
  closeSync(descriptor);
  if (typeof read === 'string') return undefined;
  const text = buffer
    .toString('utf8', 0, read)
    .replaceAll(COLOUR, '')
    .replace(/\r?\n$/, '');
  return text === '' ? [] : text.split(/\r?\n/).slice(-LINES);
}
