import { exitCode, hasFailed, isAllowed, type Exit } from '../../backend/command_runner.ts';
import type { CommandOp } from '../../ir/plan.ts';
import { describeExit, type FailureText } from '../failure_text.ts';
import { signalOf } from '../op_text.ts';
import { times, type Moment } from './moment.ts';

/** The status of an op without a command in this session. */
export type PassedStatus = 'kept' | 'left out';

export type Status =
  'succeeded' | 'failed' | 'not started' | PassedStatus | 'met' | 'not met' | 'skipped' | 'declined' | 'not reached';

/** The result of an op. A field without a value is null. */
export type ReportedResult = Readonly<{
  status: Status;
  reason: string | null;
  attempts: number;
  /** Whether the step allows the failure. */
  allowed: boolean;
  start: string | null;
  end: string | null;
  duration_ms: number | null;
  offset_ms: number | null;
  exit_code: number | null;
  signal: string | null;
  /** The last lines of its output, with secrets masked; null if they were not recorded. */
  output: readonly string[] | null;
}>;

/** All attempts of a command: the first start and the last end. */
export type Execution = Readonly<{
  start: Moment;
  end: Moment;
  attempts: number;
  exit: Exit;
  output: readonly string[] | null;
}>;

/** Whether an op caused the failure of its run. */
export function isBad({ status, allowed }: ReportedResult): boolean {
  return (status === 'failed' || status === 'not started' || status === 'declined') && !allowed;
}

/** The result of an op whose command did not run. */
export function notRun(status: Status, reason: string | null = null): ReportedResult {
  const noTimes = { start: null, end: null, duration_ms: null, offset_ms: null };
  return { status, reason, attempts: 0, allowed: false, ...noTimes, exit_code: null, signal: null, output: null };
}

/** The result of a command; `runStart` is the start of the run. */
export function resultOf(op: CommandOp, execution: Execution, text: FailureText, runStart: Moment): ReportedResult {
  const { start, end, attempts, exit, output } = execution;
  const [good, bad] = op.kind === 'condition' ? (['met', 'not met'] as const) : (['succeeded', 'failed'] as const);
  return {
    status: statusOf(exit) ?? (hasFailed(exit) ? bad : good),
    reason: reasonOf(op, exit, text),
    attempts,
    allowed: op.kind === 'run' && isAllowed(exit, op.options),
    ...times(start, end),
    offset_ms: Math.round(start.steady - runStart.steady),
    ...codeOf(exit),
    output,
  };
}

/** The exit code of a command, and the signal that it represents. */
export function codeOf(exit: Exit): Pick<ReportedResult, 'exit_code' | 'signal'> {
  // The end of a test of a variable, not of a command.
  if (exit.kind === 'rejected' && exit.rejection.kind === 'negative value') return { exit_code: null, signal: null };
  const exit_code = exitCode(exit);
  return { exit_code, signal: signalOf(exit_code) ?? null };
}

/** The reason for a failure, if the exit code does not show it. */
export function reasonOf(op: CommandOp, exit: Exit, text: FailureText): string | null {
  if (exit.kind === 'not started') return exit.reason;
  if (exit.kind === 'timed out' || exit.kind === 'rejected') return describeExit(exit);
  if (exit.kind === 'cancelled') return describeExit(exit);
  if (exit.outputs?.ok === false) return exit.outputs.problems.join('; ');
  const cause = exit.code === 0 ? undefined : text.cause(op);
  return cause ?? null;
}

/** The status of a command that did not run like a step or condition; undefined for others. */
function statusOf({ kind }: Exit): Status | undefined {
  if (kind === 'not started') return kind;
  return kind === 'rejected' || kind === 'cancelled' ? 'failed' : undefined;
}
