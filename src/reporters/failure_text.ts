import { constants } from 'node:os';
import type { Exit } from '../backend/command_runner.ts';
import { shellVariables } from '../frontend/lint/shell_variables.ts';
import { settingsOf } from '../ir/environment.ts';
import { formatDuration } from '../ir/views/format_duration.ts';
import { runsAfterFailure, type Op, type RunOp } from '../ir/plan.ts';
import { testText } from '../ir/views/preview.ts';
import { unreachable } from '../unreachable.ts';
import type { Io } from '../output/io.ts';
import type { Prepared } from '../driver/prepare.ts';

/** What helps with a command that failed, in lines. */
export type Help = (op: Op) => readonly string[];

/** Longer texts are cut where they are shown for people. */
const WIDEST = 100;

/** More names are not listed. */
const MOST_NAMES = 5;

/** An exit code, and what the common ones mean: those of POSIX (XCU 2.8.2) for what is not the command's own. */
export function exitWords(code: number): string {
  const signal = signalOf(code);
  const ended = signal === undefined ? undefined : `ended by ${signal}`;
  const words = code === 126 ? 'found, but could not be executed' : code === 127 ? 'command not found' : ended;
  return words === undefined ? `exit code ${code}` : `exit code ${code} (${words})`;
}

/** How an op's command has failed, after its name. */
export function failureWords(exit: Exit): string {
  return sentence(exit, '');
}

/** The same of its last attempt: a step may have been allowed to fail. */
export function endingWords(op: Op, exit: Exit): string {
  return sentence(exit, op.kind === 'run' && op.allowFailure ? ', as it may' : '');
}

/** That an attempt has failed and there will be another, after the name of its step. */
export function waitingWords(op: RunOp, exit: Exit, attempt: number): string {
  const [most, delay] = [op.retry?.maxAttempts ?? attempt, formatDuration(op.retry?.delay ?? 0)];
  return `${sentence(exit, ` in attempt ${attempt} of ${most}`)}; the next one in ${delay}`;
}

/** Why stands last: nobody knows how it ends. */
function sentence(exit: Exit, more: string): string {
  switch (exit.kind) {
    case 'exited':
      return exit.outputs?.ok === false
        ? `failed after exit code 0${more}: ${exit.outputs.problems.join('; ')}`
        : `failed with ${exitWords(exit.code)}${more}`;
    case 'timed out':
      return `timed out after ${formatDuration(exit.limit)}${more}`;
    case 'not started':
      return `could not be started${more}: ${exit.reason}`;
    default:
      return unreachable(exit);
  }
}

/** The signal that an exit code stands for, in the way of shells. */
export function signalOf(code: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
}

/** Where an op stands in the file: `file:line:column`. */
export function placeOf({ path, position }: Prepared, op: Op): string {
  const { line, column } = position(op.offset);
  return `${path}:${line}:${column}`;
}

/** Where the command stands and what it is, which of its variables are not set, and what tells more. */
export function failureHelp(prepared: Prepared, env: Io['env'], debug: boolean): Help {
  const settings = settingsOf(prepared.plan);
  return (op) => {
    const command = op.kind === 'condition' ? testText(op.test) : op.command;
    const set = settings(op.frame);
    const unset = [...shellVariables(command).read].filter((name) => !set.has(name) && env[name] === undefined);
    const names = [...unset.slice(0, MOST_NAMES), ...(unset.length > MOST_NAMES ? ['…'] : [])];
    const isLast = runsAfterFailure(op);
    return [
      `at ${placeOf(prepared, op)}: ${short(command)}`,
      ...(names.length === 0 ? [] : [`not set: ${names.join(', ')}`]),
      ...(debug || isLast ? [] : ['to see more, add --debug; to see the plan, --dry-run']),
    ];
  };
}

/** The first line of a text, not too much of it, and a sign that there is more. */
export function short(text: string): string {
  const [first = ''] = text.trim().split('\n');
  // Not in the middle of a surrogate pair.
  const cut = first.slice(0, WIDEST).replace(/[\uD800-\uDBFF]$/, '');
  return cut === text.trim() ? cut : `${cut.trimEnd()} …`;
}
