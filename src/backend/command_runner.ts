import type { GroupOptions } from '../frontend/ast.ts';
import type { Output, StepOptions } from '../frontend/schema/option_fields.ts';
import type { BackgroundOp } from '../ir/ops.ts';
import type { Branch, Op, RunOp, StopOp } from '../ir/plan.ts';
import type { Failure } from '../base/result.ts';

/** The signals that end a run in an orderly way: its hooks still run, except after SIGQUIT. */
export const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** The last signal that interrupted the run. `forced`: it was SIGQUIT or not the first, so all processes were killed. */
export type Interruption = Readonly<{ signal: NodeJS.Signals; forced: boolean }>;

/**
 * A command for the shell.
 *
 * - `errexit`: whether the first failing line ends it (`-e`)
 * - `references`: environment variables that stand for references, with the text of each in the file
 * - `input`: the tool's standard input, or none
 * - `dir`: relative to the tool's initial directory; null for that directory itself
 * - `outputs`: values to read from standard output
 * - `timeout`: in milliseconds
 * - `completes`: whether it runs even in a cancelled branch, as clean-up must
 * - `number`: the number of the command in the run, from 1
 * - `onCancel`: takes a function that ends the command, and returns one that revokes it
 * - `isQuestion`: its output goes to the user, and is not recorded
 * - `background`: the command runs in the background, in a process group of its own, until its branch is cancelled
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
  completes?: true;
  onCancel?: OnCancel;
  isQuestion?: true;
  background?: BackgroundRequest;
}>;

/** Takes a function that is called at a cancellation, and returns one that revokes this. */
export type OnCancel = (end: () => void) => () => void;

/** Calls a function at either of two cancellations. */
export function onEither(one: OnCancel, other: OnCancel | undefined): OnCancel {
  return (end) => {
    const revoke = [one(end), other?.(end)];
    return () => revoke.forEach((each) => each?.());
  };
}

/** A test of readiness with all values. */
export type ReadyTest = Readonly<
  { kind: 'port'; port: number } | { kind: 'url' | 'output'; text: string } | { kind: 'run'; request: CommandRequest }
>;

/**
 * A command in the background: its test of readiness (null: it is ready as soon as it has started), and functions to be
 * called when it is ready, after some milliseconds, when it is not ready yet, after a number of tries, and as soon as it
 * has ended. The time limit of the request is that until it is ready.
 */
export type BackgroundRequest = Readonly<{
  test: ReadyTest | null;
  onReady: (milliseconds: number) => void;
  onTry: (tries: number) => void;
  onEnd: () => void;
}>;

/** The last lines that a command printed to both of its streams. `log` is the path of its log once it has ended. */
export type Printed = Readonly<{ lines: () => readonly string[]; log?: string | undefined }>;

/**
 * The end of a command. `reason` completes "it could not be started: …". `isLost`: an earlier session started it and
 * did not record its end. `outputs` exists only for commands with outputs. `rejected`: the interpreter cannot use the
 * result of a condition. `cancelled`: another member of the group failed, or something else (`because`) ended it; this is a
 * failure with any exit code. `waited`: the test of readiness that did not hold in time. `ended early`: a command in the
 * background ended by itself; `reason` is a predicate. `printed` exists if the runner records what commands print.
 */
export type Exit = Ending & Readonly<{ printed?: Printed }>;

type Ending = Readonly<
  | { kind: 'exited'; code: number; outputs?: OutputsResult }
  | { kind: 'timed out'; limit: number; waited?: string }
  | { kind: 'not started'; reason: string; isLost?: true }
  | { kind: 'rejected'; rejection: Rejection }
  | { kind: 'cancelled'; code: number; because?: string }
  | { kind: 'ended early'; code: number; reason: string }
>;

/**
 * The reason why a condition is rejected: its command could not be run (`--strict`), or its variable has a negative
 * value. `exitCodeOf` is the step whose exit code it is.
 */
export type Rejection = Readonly<
  | { kind: 'not runnable'; code: number }
  | { kind: 'negative value'; variable: string; value: string; source: string; exitCodeOf?: string }
>;

/** An output of a step. The value is null if it is secret, and an earlier session or process did not record it. */
export type OutputValue = readonly [name: string, value: string | null];

/**
 * The values of all outputs of a step in order, or a message for each problem. `secret` are the names of those that
 * contain the value of a secret, if any do.
 */
export type OutputsResult =
  | Readonly<{ ok: true; values: readonly OutputValue[]; secret?: ReadonlySet<string> }>
  | Failure;

/**
 * The exit code of a command. As in a shell, it is 126 for a command that was not started, and as in timeout(1), 124
 * after a timeout.
 */
export function exitCode(exit: Exit): number {
  switch (exit.kind) {
    case 'exited':
    case 'cancelled':
    case 'ended early':
      return exit.code;
    case 'timed out':
      return 124;
    case 'not started':
      return 126;
    case 'rejected':
      return exit.rejection.kind === 'not runnable' ? exit.rejection.code : 126;
  }
}

/** Whether a command failed. Missing outputs are a failure even with exit code 0. */
export function hasFailed(exit: Exit): boolean {
  return exitCode(exit) !== 0 || exit.kind === 'cancelled' || (exit.kind === 'exited' && exit.outputs?.ok === false);
}

/** Whether the failure of a step with these options is allowed. */
export function isAllowed(exit: Exit, { allowFailure }: StepOptions): boolean {
  const isLost = exit.kind === 'not started' && exit.isLost === true;
  return allowFailure && hasFailed(exit) && exit.kind !== 'cancelled' && !isLost;
}

/** Whether the end of a condition's command fails the run. */
export function isNoAnswer({ kind }: Exit): boolean {
  return kind === 'not started' || kind === 'rejected' || kind === 'cancelled';
}

/** Whether a condition's command could not be run, according to the exit codes of shells. */
export function isNotRunnable(exit: Exit | null): exit is Exit & { kind: 'exited' } {
  return exit?.kind === 'exited' && (exit.code === 126 || exit.code === 127);
}

/** Rejects a condition that could not be run, for `--strict`. Returns any other exit unchanged. */
export function rejectNotRunnable(exit: Exit): Exit {
  if (!isNotRunnable(exit)) return exit;
  const { code, printed } = exit;
  return { kind: 'rejected', rejection: { kind: 'not runnable', code }, ...(printed && { printed }) };
}

/** The exit code of a command that SIGTERM ended, in a shell. */
export const TERMINATED = 143;

/** The longest time of a wait, in milliseconds. */
export const LONGEST_WAIT = 2 ** 31 - 1;

/** Whether an interruption, or the cancellation of the branch, prevents a runner's commands from starting. */
export function isStopped({ interruption, isCancelled }: Pick<CommandRunner, 'interruption' | 'isCancelled'>): boolean {
  return interruption !== undefined || isCancelled;
}

/** The only interface through which the interpreter affects the system. */
export type CommandRunner = Readonly<{
  /** Must be awaited before each command. After an interruption, ends the processes that earlier commands left. */
  ready: () => Promise<void>;
  /** Runs a command to its end. */
  run: (request: CommandRequest) => Promise<Exit>;
  /** Waits for a time in milliseconds, or until an interruption or a cancellation. */
  wait: (milliseconds: number, onCancel?: OnCancel) => Promise<void>;
  /** Undefined until a signal interrupts the run. */
  interruption: Interruption | undefined;
  /** Whether this is the runner of a cancelled branch. */
  isCancelled: boolean;
  /** Begins a branch of a group, whose commands run concurrently with those of other branches. */
  fork: (branch: BranchOptions) => BranchRunner;
}>;

/**
 * A branch, or a step in the background, and the mode of its output. A step in the background is not cancelled with the
 * branch around it.
 */
export type BranchOptions = Readonly<{ branch: Branch | RunOp; output: GroupOptions['output'] }>;

/** Runs the commands of one branch, one after the other, without standard input. */
export type BranchRunner = CommandRunner &
  Readonly<{
    /** Ends the running command with its process tree, and rejects later commands. */
    cancel: () => void;
    /** Whether `close` will print output. */
    hasOutput: boolean;
    /** Prints the rest of the branch's output. Must be called after its last command. */
    close: () => void;
  }>;

/** Starts and stops the steps in the background of a range of ops, beside other commands, which run on `runner`. */
export type Supervision = Readonly<{
  runner: CommandRunner;
  reach: (op: Op) => void;
  /** Whether the step is ready. `reason` says why it cannot start. */
  start: (op: BackgroundOp, index: number, reason: string | undefined) => Promise<boolean>;
  stop: (op: Pick<StopOp, 'ops'>) => Promise<void>;
  close: () => Promise<void>;
}>;
