import type { Exit, Rejection } from '../backend/command_runner.ts';
import { shellVariables } from '../frontend/lint/shell_variables.ts';
import { settingsOf } from '../ir/environment.ts';
import { describeNegativeValue } from '../driver/negative_values.ts';
import { formatDuration } from '../ir/views/format_duration.ts';
import { runsAfterFailure, type Op, type RunOp } from '../ir/plan.ts';
import { testText } from '../ir/views/preview.ts';
import { truncateLine } from '../truncate.ts';
import { unreachable } from '../unreachable.ts';
import { describeNotRunnable, exitCodeMeaning } from './op_text.ts';
import type { Io } from '../output/io.ts';
import type { Prepared } from '../driver/prepare.ts';

/** Lines that help with a failed command. */
export type Help = (op: Op) => readonly string[];

/** At most this many unset variables are listed. */
const MAX_NAMES = 5;

/**
 * An exit code, its meaning and `notes` in parentheses: `exit code 127 (command not found)`. The meanings of 126 and
 * 127 are those of POSIX (XCU 2.8.2).
 */
export function describeExitCode(code: number, ...notes: readonly string[]): string {
  return `exit code ${code}${parenthesized([...exitCodeMeaning(code), ...notes])}`;
}

/** How a command failed, as a sentence that begins after its name; the reason, which may be long, comes last. */
export function describeExit(exit: Exit, ...notes: readonly string[]): string {
  switch (exit.kind) {
    case 'exited':
      return exit.outputs?.ok === false
        ? `failed after exit code 0${parenthesized(notes)}: ${exit.outputs.problems.join('; ')}`
        : `failed with ${describeExitCode(exit.code, ...notes)}`;
    case 'timed out':
      return `timed out after ${formatDuration(exit.limit)}${parenthesized(notes)}`;
    case 'not started':
      return `could not be started${parenthesized(notes)}: ${exit.reason}`;
    case 'rejected':
      return describeRejection(exit.rejection);
    default:
      return unreachable(exit);
  }
}

function describeRejection(rejection: Rejection): string {
  return rejection.kind === 'not runnable' ? describeNotRunnable(rejection.code) : describeNegativeValue(rejection);
}

/** The same for the last attempt of an op, whose failure may be allowed. */
export function describeFailure(op: Op, exit: Exit): string {
  return op.kind === 'run' && op.options.allowFailure ? describeExit(exit, 'allowed') : describeExit(exit);
}

/** The same for an attempt that will be repeated. */
export function describeRetry({ options: { retry } }: RunOp, exit: Exit, attempt: number): string {
  const note = `attempt ${attempt} of ${retry?.maxAttempts ?? attempt}`;
  return `${describeExit(exit, note)}; retrying in ${formatDuration(retry?.delay ?? 0)}`;
}

function parenthesized(notes: readonly string[]): string {
  return notes.length === 0 ? '' : ` (${notes.join(', ')})`;
}

/** The position of an op in the file: `file:line:column`. */
export function locationOf({ path, position }: Prepared, op: Op): string {
  const { line, column } = position(op.offset);
  return `${path}:${line}:${column}`;
}

/** The command and its position, its variables that are not set, and the flags that show more. */
export function failureHelp(prepared: Prepared, env: Io['env'], debug: boolean): Help {
  const settings = settingsOf(prepared.plan);
  return (op) => {
    const command = op.kind === 'condition' ? testText(op.test) : op.command;
    const set = settings(op.frame);
    const unset = [...shellVariables(command).read].filter((name) => !set.has(name) && env[name] === undefined);
    const names = [...unset.slice(0, MAX_NAMES), ...(unset.length > MAX_NAMES ? ['…'] : [])];
    const isLast = runsAfterFailure(op);
    return [
      `at ${locationOf(prepared, op)}: ${truncateLine(command)}`,
      ...(names.length === 0 ? [] : [`not set: ${names.join(', ')}`]),
      ...(debug || isLast ? [] : ['for details, add --debug; for the plan, --dry-run']),
    ];
  };
}
