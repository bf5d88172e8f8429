import { isAllowed, type Exit, type Rejection } from '../../backend/command_runner.ts';
import { expandedPart, shellVariables } from '../../frontend/lint/shell_variables.ts';
import { scopesOf, settingIn, valueIn } from '../../ir/environment.ts';
import { describeNegativeValue } from '../driver/negative_values.ts';
import { MASK, secretsOf } from '../../ir/secret_names.ts';
import { formatDuration } from '../../ir/views/format_duration.ts';
import { runsAfterFailure, type CommandOp, type RunOp } from '../../ir/plan.ts';
import { conditionParts } from '../../ir/ops.ts';
import { truncateLine } from '../../base/truncate.ts';
import { shownPath } from '../command_line/redact.ts';
import type { EndedOp } from './op_results.ts';
import { describeNotRunnable, exitCodeMeaning } from './op_text.ts';
import type { Io } from '../output/io.ts';
import type { Prepared } from '../driver/prepare_run.ts';

/** Maximum number of unset variables to list. */
const MAX_NAMES = 5;

/** `${NAME:?message}`, which fails if NAME is unset or empty, and `${NAME?message}`, which fails if it is unset. */
const REQUIRED = /\$\{([A-Za-z_]\w*)(:?)\?/g;

/**
 * An exit code, its meaning and `notes` in parentheses: `exit code 127 (command not found)`. The meanings of 126 and
 * 127 are those of POSIX (XCU 2.8.2); `cause` replaces them.
 */
export function describeExitCode(code: number, notes: readonly string[] = [], cause?: string): string {
  const meaning = cause === undefined ? exitCodeMeaning(code) : [cause];
  return `exit code ${code}${parenthesized([...meaning, ...notes])}`;
}

/** The end of a failed command as a predicate. The reason, which may be long, comes last. */
export function describeExit(exit: Exit, notes: readonly string[] = [], cause?: string): string {
  switch (exit.kind) {
    case 'exited':
      return exit.outputs?.ok === false
        ? `failed after exit code 0${parenthesized(notes)}: ${exit.outputs.problems.join('; ')}`
        : `failed with ${describeExitCode(exit.code, notes, cause)}`;
    case 'timed out':
      return exit.waited === undefined
        ? `timed out after ${formatDuration(exit.limit)}${parenthesized(notes)}`
        : `was not ready after ${formatDuration(exit.limit)}, when ${exit.waited}`;
    case 'not started':
      return `could not be started${parenthesized(notes)}: ${exit.reason}`;
    case 'cancelled':
      return `was cancelled with ${describeExitCode(exit.code, notes)} because ${exit.because ?? 'another member of its group failed'}`;
    case 'ended early':
      return exit.reason;
    case 'rejected':
      return describeRejection(exit.rejection);
  }
}

function describeRejection(rejection: Rejection): string {
  return rejection.kind === 'not runnable' ? describeNotRunnable(rejection.code) : describeNegativeValue(rejection);
}

function parenthesized(notes: readonly string[]): string {
  return notes.length === 0 ? '' : ` (${notes.join(', ')})`;
}

/** The position of an op in the file: `file:line:column`. */
export function locationOf({ position }: Prepared, op: CommandOp): string {
  const { file, line, column } = position(op.offset);
  return `${file}:${line}:${column}`;
}

/** Describes the failures of a run with the variables of its commands: the file's, and those of `env`. */
export class FailureText {
  readonly #prepared: Prepared;
  readonly #env: Io['env'];
  readonly #scopeOf: ReturnType<typeof scopesOf>;

  constructor(prepared: Prepared, env: Io['env']) {
    this.#prepared = prepared;
    this.#env = env;
    this.#scopeOf = scopesOf(prepared.plan);
  }

  /** The failure of an op's last attempt, and whether it is allowed. */
  failure(op: CommandOp, exit: Exit): string {
    return describeExit(exit, op.kind === 'run' && isAllowed(exit, op.options) ? ['allowed'] : [], this.cause(op));
  }

  /** The failure of an attempt that will be repeated. */
  retry(op: RunOp, exit: Exit, attempt: number): string {
    const { retry } = op.options;
    const note = `attempt ${attempt} of ${retry?.maxAttempts ?? attempt}`;
    return `${describeExit(exit, [note], this.cause(op))}; retrying in ${formatDuration(retry?.delay ?? 0)}`;
  }

  /** `NAME is not set`, for a variable without a value that the op's command requires with `${NAME:?}`. */
  cause(op: CommandOp): string | undefined {
    const command = commandOf(op);
    // Most commands have no such expansion, and `expandedPart` takes time.
    if (!/\$\{\w+:?\?/.test(command)) return undefined;
    for (const [, name = '', colon] of expandedPart(command).matchAll(REQUIRED)) {
      const value = this.#valueOf(op, name);
      if (value === undefined) return `${name} is not set`;
      if (value === '' && colon === ':') return `${name} is empty`;
    }
    return undefined;
  }

  /** The command and its position, its variables that are not set, its log, and the flags that show more. */
  hints({ op, exit }: Pick<EndedOp, 'op' | 'exit'>, debug: boolean): readonly string[] {
    const command = commandOf(op);
    const unset = [...shellVariables(command).read].filter((name) => this.#valueOf(op, name) === undefined);
    const names = [...unset.slice(0, MAX_NAMES), ...(unset.length > MAX_NAMES ? ['…'] : [])];
    const isLast = runsAfterFailure(op);
    return [
      `at ${locationOf(this.#prepared, op)}: ${truncateLine(command)}`,
      ...(names.length === 0 ? [] : [`not set: ${names.join(', ')}`]),
      ...outputHint(exit),
      ...(debug || isLast ? [] : ['for details, add --debug; for the plan, --dry-run']),
    ];
  }

  /** The value of a variable for the command of an op; masked if it is a secret. */
  #valueOf(op: CommandOp, name: string): string | undefined {
    if (op.kind !== 'condition' && secretsOf(this.#prepared.plan, op).includes(name)) return MASK;
    const scope = this.#scopeOf(op.frame);
    const setting = settingIn(scope, name, this.#env);
    return setting && valueIn(scope, name, setting.value);
  }
}

/** The log of a command that has printed something. */
export function outputHint({ printed }: Exit): readonly string[] {
  return printed?.log === undefined ? [] : [`output: ${shownPath(printed.log)}`];
}

function commandOf(op: CommandOp): string {
  return op.kind === 'condition' ? conditionParts(op.test).text : op.command;
}
