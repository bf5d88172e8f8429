import type { GroupOptions, Output, StepOptions } from '../frontend/ast.ts';
import type { Variable } from '../ir/plan.ts';
import { unreachable } from '../unreachable.ts';

/** The signals that end a run in order: its hooks still run. */
export const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The last signal that asked the run to end. Forced: it was not the first, so all processes were killed. */
export type Interruption = Readonly<{ signal: NodeJS.Signals; forced: boolean }>;

/**
 * A command for the shell.
 *
 * - `errexit`: whether the first line that fails ends it (`-e`)
 * - `references`: variables of the environment that stand for references, with the text of each in the file
 * - `input`: the standard input of the tool, or none
 * - `dir`: relative to the directory that the tool was started in; null for that directory itself
 * - `outputs`: values to read from the standard output
 * - `timeout`: in milliseconds
 * - `number`: that of the command in the run, from 1
 */
export type CommandRequest = Readonly<{
  command: string;
  errexit: boolean;
  number: number;
  environment: ReadonlyMap<string, string>;
  references: ReadonlyMap<string, string>;
  input: 'inherit' | 'none';
  dir: string | null;
  outputs: readonly Output[];
  timeout: number | null;
}>;

/** The last lines that a command printed on both of its streams. */
export type Printed = Readonly<{ lines: () => readonly string[] }>;

/**
 * How a command ended. `reason` completes "it could not be started: …"; only a command with outputs has `outputs`. A
 * condition is rejected, by the interpreter, if the run cannot go by its answer. Cancelled: ended because another member
 * of its group failed; that is a failure, whatever its code. `printed` is there if the
 * runner records what commands print.
 */
export type Exit = Ending & Readonly<{ printed?: Printed }>;

type Ending = Readonly<
  | { kind: 'exited'; code: number; outputs?: OutputsResult }
  | { kind: 'timed out'; limit: number }
  | { kind: 'not started'; reason: string }
  | { kind: 'rejected'; rejection: Rejection }
  | { kind: 'cancelled'; code: number }
>;

/** A condition's command could not be run (`--strict`), or the value of its variable says no. */
export type Rejection = Readonly<
  { kind: 'not runnable'; code: number } | { kind: 'negative value'; variable: string; value: string; source: string }
>;

/** The values of all outputs of a step in their order, or a line for each problem. */
export type OutputsResult = Readonly<
  { ok: true; values: readonly Variable[] } | { ok: false; problems: readonly string[] }
>;

/** The exit code of a command: 126 if it was not started, as in a shell, and 124 after a timeout, as in timeout(1). */
export function exitCode(exit: Exit): number {
  switch (exit.kind) {
    case 'exited':
    case 'cancelled':
      return exit.code;
    case 'timed out':
      return 124;
    case 'not started':
      return 126;
    case 'rejected':
      return exit.rejection.kind === 'not runnable' ? exit.rejection.code : 126;
    default:
      return unreachable(exit);
  }
}

/** Whether a command failed. One that exits with 0 fails without its outputs. */
export function hasFailed(exit: Exit): boolean {
  return exitCode(exit) !== 0 || exit.kind === 'cancelled' || (exit.kind === 'exited' && exit.outputs?.ok === false);
}

/** Whether the failure of a step with these options is allowed. */
export function isAllowed(exit: Exit, { allowFailure }: StepOptions): boolean {
  return allowFailure && hasFailed(exit) && exit.kind !== 'cancelled';
}

/** Whether the end of a condition's command fails the run. */
export function isNoAnswer({ kind }: Exit): boolean {
  return kind === 'not started' || kind === 'rejected' || kind === 'cancelled';
}

/** Whether a condition's command could not be run, by the exit codes that shells have for that. */
export function isNotRunnable(exit: Exit | null): exit is Exit & { kind: 'exited' } {
  return exit?.kind === 'exited' && (exit.code === 126 || exit.code === 127);
}

/** The exit of a condition that could not be run, under `--strict`; any other exit as it is. */
export function rejectNotRunnable(exit: Exit): Exit {
  if (!isNotRunnable(exit)) return exit;
  const { code, printed } = exit;
  return { kind: 'rejected', rejection: { kind: 'not runnable', code }, ...(printed && { printed }) };
}

/** The interpreter's only way to affect the system. */
export type CommandRunner = Readonly<{
  /** To be awaited before a command: after an interruption, ends the processes that earlier commands left. */
  ready: () => Promise<void>;
  /** Runs a command to its end. */
  run: (request: CommandRequest) => Promise<Exit>;
  /** Waits for a time or an interruption. */
  wait: (milliseconds: number) => Promise<void>;
  /** Undefined as long as no signal asked the run to end. */
  interruption: Interruption | undefined;
  /** Whether this is the runner of a branch that was cancelled. */
  isCancelled: boolean;
  /** Begins a branch of a group, whose commands run beside those of others. */
  fork: (branch: BranchOptions) => BranchRunner;
}>;

/** The name of a branch, and how its output is printed. */
export type BranchOptions = Readonly<{ name: string; output: GroupOptions['output'] }>;

/** Runs the commands of one branch, one after the other. Its commands have no standard input. */
export type BranchRunner = CommandRunner &
  Readonly<{
    /** Ends the running command, with its tree, and all that comes later. */
    cancel: () => void;
    /** Whether there is output that `close` will print. */
    hasOutput: boolean;
    /** To be called when nothing of the branch runs any more: prints the rest of its output. */
    close: () => void;
  }>;
