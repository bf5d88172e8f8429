import { isCommand } from '../../../ir/ops.ts';
import type { Outcome } from '../../../backend/run_event.ts';
import { at, type CommandOp } from '../../../ir/plan.ts';
import { maskedParams } from '../../../ir/secret_names.ts';
import { now, times, type Moment } from '../moment.ts';
import type { ReportedRun } from '../reporter_type.ts';
import { identity, reportCall, type OpIdentity, type ReportCall } from './op_identity.ts';
import { VERSION } from '../../../base/version.ts';
import type { Revision, Surroundings } from './surroundings.ts';
import { exitCode, type Exit } from '../../../backend/command_runner.ts';
import { truncateLines } from '../../../base/truncate.ts';
import { formatElapsed, formatStepCount } from '../../output/quantities.ts';
import { describeExit, describeExitCode, type FailureText } from '../failure_text.ts';
import { signalOf } from '../op_text.ts';
import type { OpResult, Status, OpResults } from '../op_results.ts';

type CountedOp = Pick<OpIdentity, 'kind'> & Pick<ReportedResult, 'allowed' | 'status'>;

/** The number of steps of each status, in the order of the plan; allowed failures count separately. */
export type StepCounts = ReadonlyMap<string, number>;

/** The statuses of steps that did not run in this session. */
const NOT_RUN: ReadonlySet<string> = new Set(['kept', 'left out', 'skipped', 'not started', 'declined', 'not reached']);

export function countSteps(ops: Iterable<CountedOp>): StepCounts {
  const counts = new Map<string, number>();
  for (const { kind, allowed, status } of ops) {
    if (kind !== 'step') continue;
    const counted = allowed ? 'allowed to fail' : status;
    counts.set(counted, (counts.get(counted) ?? 0) + 1);
  }
  return counts;
}

/** Whether no step ran, which makes success meaningless. */
export function isEmpty(counts: StepCounts): boolean {
  return [...counts.keys()].every((status) => NOT_RUN.has(status));
}

/** The counts as text: `2 succeeded, 1 skipped`, or `no step ran: 3 skipped`. */
export function describeCounts(counts: StepCounts): string {
  if (counts.size === 0) return 'the workflow has no steps';
  const text = [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
  return isEmpty(counts) ? `no step ran: ${text}` : text;
}

/** The counts of a run and its time: `3 steps ran, 1 skipped, 1.2 s`. An allowed failure counts by its status. */
export function runCounts({ steps, ms }: OpResults): string {
  const counts = countSteps(steps.map(({ status }) => ({ kind: 'step', allowed: false, status })));
  const ran = [...counts].reduce((sum, [status, count]) => sum + (NOT_RUN.has(status) ? 0 : count), 0);
  const others = [...NOT_RUN].filter((status) => counts.has(status)).map((status) => `${counts.get(status)} ${status}`);
  return [`${formatStepCount(ran)} ran`, ...others, formatElapsed(ms)].join(', ');
}

/** The result of an op in a report. A field without a value is null. */
export type ReportedResult = Readonly<{
  status: Status;
  reason: string | null;
  attempts: number;
  /** Whether the step allows the failure. */
  allowed: boolean;
  start: string | null;
  end: string | null;
  duration_ms: number | null;
  /** The time until it was ready; null if it was not. Only a step in the background has it. */
  ready_ms?: number | null;
  offset_ms: number | null;
  exit_code: number | null;
  signal: string | null;
  /** The last lines of its output, with secrets masked; null if they were not recorded. */
  output: readonly string[] | null;
}>;

/** Whether an op caused the failure of its run. */
export function isBad({ status, allowed }: Readonly<{ status: string; allowed: boolean }>): boolean {
  return (status === 'failed' || status === 'not started' || status === 'declined') && !allowed;
}

/** The fields of a result without a command. */
export function passedResult({ status, reason }: Pick<ReportedResult, 'status' | 'reason'>): ReportedResult {
  const noTimes = { start: null, end: null, duration_ms: null, offset_ms: null };
  return { status, reason, attempts: 0, allowed: false, ...noTimes, exit_code: null, signal: null, output: null };
}

/** The fields of a result; `runStart` is the start of the run. */
export function reportedResult(result: OpResult, text: Pick<FailureText, 'cause'>, runStart: Moment): ReportedResult {
  if (result.kind === 'passed') return passedResult(result);
  const { op, status, allowed } = result;
  const { attempts, exit, output, start, end, readyMs: ready_ms } = result;
  const offset_ms = Math.round(start.steady - runStart.steady);
  const reason = reasonOf(op, exit, text);
  const taken = { ...times(start, end), ...(ready_ms !== undefined && { ready_ms }) };
  return { status, reason, attempts, allowed, ...taken, offset_ms, ...codeOf(exit), output };
}

type DescribedResult = Pick<ReportedResult, 'reason' | 'attempts' | 'allowed' | 'exit_code' | 'ready_ms'> &
  Readonly<{ status: string }>;

/** The result of an op as text: `exit code 3 (allowed), 2 attempts`, or `skipped: NAME is not set`, or `stopped, ready after 20 ms`. */
export function describeResult(result: DescribedResult): string {
  const { status, reason, attempts, allowed, exit_code, ready_ms } = result;
  if (status === 'ready') return describeReady(ready_ms);
  const count = attempts > 1 ? `, ${attempts} attempts` : '';
  const ready = typeof ready_ms === 'number' ? `, ${describeReady(ready_ms)}` : '';
  const tries = `${allowed ? ' (allowed)' : ''}${count}${ready}`;
  const why = reason === null ? undefined : truncateLines(reason);
  if (status !== 'failed') return `${status}${tries}${why === undefined ? '' : `: ${why}`}`;
  return `${why ?? (exit_code === null ? status : describeExitCode(exit_code))}${tries}`;
}

/** The time until a step in the background was ready. */
export function describeReady(ms: number | null | undefined): string {
  return `ready after ${formatElapsed(ms ?? 0)}`;
}

/** The exit code of a command, and the signal that it represents. */
export function codeOf(exit: Exit): Pick<ReportedResult, 'exit_code' | 'signal'> {
  const isUnknown = exit.kind === 'not started' && exit.isLost === true;
  // The end of a test of a variable, not of a command.
  const isOfVariable = exit.kind === 'rejected' && exit.rejection.kind === 'negative value';
  if (isUnknown || isOfVariable) return { exit_code: null, signal: null };
  const exit_code = exitCode(exit);
  return { exit_code, signal: signalOf(exit_code) ?? null };
}

/** The reason for a failure, if the exit code does not show it. */
export function reasonOf(op: CommandOp, exit: Exit, text: Pick<FailureText, 'cause'>): string | null {
  if (exit.kind === 'not started') return exit.reason;
  if (exit.kind === 'timed out' || exit.kind === 'rejected') return describeExit(exit);
  if (exit.kind === 'cancelled' || exit.kind === 'ended early') return describeExit(exit);
  if (exit.outputs?.ok === false) return exit.outputs.problems.join('; ');
  const cause = exit.code === 0 ? undefined : text.cause(op);
  return cause ?? null;
}

/**
 * The JSON document of `--report`, from which the other formats are rendered. Every field is present; one without a
 * value is null. `ops` can be iterated more than once.
 */
export type Report = Readonly<{
  version: 1;
  workflow: string;
  success: boolean;
  interrupted: string | null;
  start: string;
  end: string;
  duration_ms: number;
  /** The number of steps of each status, in words. */
  summary: string;
  /** The version of `cli`. */
  tool: string;
  params: Readonly<Record<string, string>>;
  host: string;
  git: Revision | null;
  /** A note about missing parts of the report. */
  note?: string;
  calls: readonly ReportCall[];
  ops: Iterable<ReportOp>;
}>;

type OpLocation = Readonly<{ frame: string; file: string; line: number; column: number }>;

export type ReportOp = OpIdentity & ReportedResult & OpLocation;

/** The report, after the end of the run: `results` contains the result of every op. */
export function makeReport(run: ReportedRun, surroundings: Surroundings, { success, interrupted }: Outcome): Report {
  const { results } = run;
  const { plan } = run.prepared;
  const ops = { [Symbol.iterator]: () => reportOps(run) };
  return {
    version: 1,
    workflow: plan.workflow,
    success,
    interrupted: interrupted ?? null,
    ...times(results.start, now()),
    summary: describeCounts(countSteps(ops)),
    tool: VERSION,
    params: maskedParams(plan),
    ...surroundings,
    calls: plan.calls.map(reportCall),
    ops,
  };
}

function* reportOps({ prepared, text, results }: ReportedRun): Generator<ReportOp> {
  for (const [index, op] of prepared.plan.ops.entries()) {
    const result = results.of(index);
    if (!isCommand(op) || result === undefined) continue;
    yield reportOp(prepared, op, reportedResult(result, text, results.start));
  }
}

/** An op of a report, with its result. */
export function reportOp(
  { plan, position }: Pick<ReportedRun['prepared'], 'plan' | 'position'>,
  op: CommandOp,
  result: ReportedResult,
): ReportOp {
  const location = { frame: at(plan.frames, op.frame).source, ...position(op.offset) };
  // An object literal with these spreads takes six times the memory in Node 20.
  return Object.assign(identity(plan, op), result, location);
}
