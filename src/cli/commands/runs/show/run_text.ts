import { listedOps } from '../../../run_data/reports/step_entry.ts';
import type { RecordedOp, RecordedReport } from '../../../run_data/reports/recorded_report.ts';
import { isUnnamed } from '../../../../base/generated_name.ts';
import { continueLine } from '../../../output/messages/continue_line.ts';
import { print } from '../../../output/document.ts';
import { EXIT, type Io } from '../../../output/io.ts';
import { outputLines, type Rules } from '../../../output/paint.ts';
import { formatAge, formatElapsed } from '../../../output/quantities.ts';
import { SIGNS } from '../../../reporters/file/html_style.ts';
import { isBad } from '../../../reporters/file/report.ts';
import { truncateLine, truncateLines } from '../../../../base/truncate.ts';
import { describeDamage } from '../../../driver/recording/find_run.ts';
import { endOf, isResumable, waitOf, type RecordedRun, type RunState } from '../../../../records/journal/journal.ts';
import { resumeCommand } from '../../../run_data/reports/run_document.ts';
import { lastOutput, logCommand } from '../../../run_data/last_output.ts';
import { shownPath } from '../../../command_line/redact.ts';

/**
 * A run to show. `isOver`: its end is recorded. `reasons`: what its state means for the reader, unless the steps show it.
 * `goOn` is the command that continues it. `outputOf` returns the lines about the output of a failed step.
 */
export type ShownRun = Readonly<{ id: string; state: string; sessions: number; isOver: boolean; now: number }> &
  Readonly<{ reasons: readonly string[]; goOn: string | undefined; outputOf: (op: RecordedOp) => readonly string[] }>;

/** The colours of the lines. */
const RUN_RULES: Rules = [
  [/^run .*/, 'bold'],
  [/^ {2}✓/, 'green'],
  [/^ {2}✗.*/, 'red'],
  [/^ {2}▸.*/, 'cyan'],
  [/^ {2}[○–=].*|^ {6}.*/, 'faint'],
];

/** Output of commands. */
const OUTPUT = /^ {6}\| /;

/** Prints a run for people. `report` is undefined for a record that cannot be read. */
export function printRun(io: Io, shown: ShownRun, report: RecordedReport | undefined): number {
  return print(io, outputLines(io, runLines(shown, report), RUN_RULES, OUTPUT), EXIT.ok);
}

/** A run as lines that are not escaped. */
function* runLines(shown: ShownRun, report: RecordedReport | undefined): Generator<string> {
  yield headLine(shown, report);
  for (const reason of shown.reasons) yield `  ${reason}`;
  if (report === undefined) return;
  if (shown.sessions > 1) for (const { session, text } of report.sessions) yield `  session ${session}: ${text}`;
  const ops = listedOps(report);
  const groups = unnamedGroups(ops);
  for (const op of ops) {
    const group = groupsOf(op).find((each) => groups.has(each)) ?? '';
    const members = groups.get(group);
    if (members !== undefined) yield `  ${group}: group of ${[...members].join(', ')}`;
    groups.delete(group);
    yield* stepLines(shown, op);
  }
  if (!report.isPlanned && shown.state !== 'succeeded') yield '  steps that did not start are not recorded';
  const failed = ops.filter((op) => op.kind === 'step' && isBad(op));
  if (shown.goOn !== undefined) yield continueLine(failed, shown.goOn);
}

/** The paths of the groups without a name that a step is in, from the outside in. */
function groupsOf({ path }: RecordedOp): readonly string[] {
  return [...path.matchAll(/(?<=^|\/)step_\d+(?=\/)/g)].map(({ 0: name, index }) => path.slice(0, index + name.length));
}

/** The members of groups without a name, by the path of the group. */
function unnamedGroups(ops: readonly RecordedOp[]): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  for (const op of ops)
    for (const group of groupsOf(op)) {
      const members = groups.get(group) ?? new Set();
      groups.set(group, members.add(op.path.slice(group.length + 1).split('/')[0] ?? ''));
    }
  return groups;
}

function headLine({ id, state, sessions, isOver, now }: ShownRun, report: RecordedReport | undefined): string {
  if (report === undefined) return `run ${id}: ${state}`;
  const [began, ended] = [Date.parse(report.start), Date.parse(report.end)];
  const times = isOver
    ? `${state} after ${formatElapsed(report.duration_ms)}, ${formatAge(now - ended)} ago`
    : `${state}, started ${formatAge(now - began)} ago`;
  const resumed = sessions > 1 ? `, resumed ${sessions - 1}×` : '';
  return `run ${id} of workflow ${truncateLines(report.workflow)}: ${times}${resumed}`;
}

function* stepLines({ outputOf }: ShownRun, op: RecordedOp): Generator<string> {
  const { status, duration_ms: ms, kind, path, result } = op;
  const name = kind === 'step' ? stepName(op) : kind === 'hook' ? `hook '${path}'` : `if of ${path}`;
  const words = [
    ...(result === 'succeeded' && kind !== 'hook' ? [] : [result]),
    ...(ms === null ? [] : [formatElapsed(ms)]),
  ];
  yield `  ${SIGNS[status]} ${name}  ${words.join(', ')}`.trimEnd();
  if (!isBad(op)) return;
  const place = op.file === '' ? '' : `at ${op.file}:${op.line}:${op.column}: `;
  yield `      ${place}${truncateLines(op.command)}`;
  for (const line of outputOf(op)) yield `      ${line}`;
}

/** The path of a step, by which commands find it, and the command of a step without a name. */
function stepName(op: RecordedOp): string {
  return isUnnamed(op) ? `${op.path} (${truncateLine(op.command)})` : op.path;
}

/**
 * A recorded run to show. `name` is that by which commands find it, `runs` the directory of all runs, `left` the steps that
 * still run after it.
 */
export function shownRun(
  run: RecordedRun,
  state: RunState,
  name: string,
  runs: string,
  left: readonly string[],
): ShownRun {
  const last = run.sessions.at(-1);
  return {
    id: run.id,
    state,
    sessions: run.sessions.length,
    isOver: last !== undefined && endOf(last) !== undefined,
    now: Date.now(),
    reasons: [
      ...reasonsOf(run, state, name),
      ...(left.length === 0 ? [] : [`left running: ${left.join(', ')}; a resume ends steps in the background`]),
    ],
    goOn: resumeCommand(run, name),
    outputOf: ({ commands, path }) => {
      const command = commands.at(-1);
      const output = command === undefined ? undefined : lastOutput(runs, run, command);
      if (output === undefined) return [`its output is not stored: ${isResumable(run) ? 'resume' : 'run'} with --logs`];
      if ('problem' in output) return [`its output is ${output.problem}`];
      if (output.lines.length === 0) return ['it has printed nothing'];
      const { failure, lines, isWhole } = output;
      return [
        ...(failure === undefined ? [] : [`the first failure, in line ${failure.line}:`, ...failure.lines.map(quoted)]),
        ...(failure === undefined ? [] : [`the last ${lines.length} lines:`]),
        ...lines.map(quoted),
        `output: ${shownPath(output.path)}`,
        ...(isWhole ? [] : [`all of it: ${logCommand(name, path)}`]),
      ];
    },
  };
}

const quoted = (line: string): string => `| ${line}`;

/** The meaning of a state, unless the steps show it. */
function reasonsOf(run: RecordedRun, state: RunState, name: string): readonly string[] {
  const last = run.sessions.at(-1);
  const reasons: Readonly<Partial<Record<RunState, string | undefined>>> = {
    waiting: describeWait(run),
    crashed: 'its process ended without recording an end',
    lost: 'its record could not be written completely; it cannot be resumed',
    unclear: `it may still be running on ${last?.header.host} (process ${last?.header.pid}); if not: cli resume ${name} --take-over`,
    stopped: 'a part of the workflow was selected; other steps are left',
    damaged: run.damage === null ? '' : describeDamage(run),
    interrupted: `by ${last && endOf(last)?.interrupted}`,
  };
  const reason = reasons[state];
  const foreign = 'the record is foreign: this user did not write it on this machine';
  return [...(reason === undefined ? [] : [reason]), ...(run.foreign ? [foreign] : [])];
}

function describeWait(run: RecordedRun): string | undefined {
  const wait = waitOf(run);
  if (wait === undefined) return undefined;
  if ('question' in wait) return `for an answer at its terminal: ${truncateLines(wait.question)}`;
  const { lock, run: holder } = wait.waits_for;
  return `for the lock '${truncateLines(lock)}'${holder === null ? '' : `, which run ${holder} holds`}`;
}
