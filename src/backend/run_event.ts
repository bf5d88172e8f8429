import type { Branch, CommandOp, ConditionOp, HookOp, Op, ParallelOp, RunOp, StepPosition } from '../ir/plan.ts';
import type { Exit } from './command_runner.ts';

/** An op whose command ran. */
export type OpResult<Kind> = Readonly<{ op: Kind; exitCode: number }>;

/**
 * A step that ran: the number of its attempts, how the last one ended, and whether it failed. It has no attempts if it
 * was not started because a reference has no value. A step that was `kept` ran in an earlier session of the run. Without
 * an exit code, nobody saw its end.
 */
export type StepResult = Readonly<{ op: RunOp; exitCode: number | null; attempts: number; exit: Exit }> &
  Readonly<{ failed: boolean; kept?: true }>;

/** The result of a run: the steps and hooks that ran, in the order of the plan. */
export type Outcome = Readonly<{
  success: boolean;
  interrupted: NodeJS.Signals | undefined;
  steps: readonly StepResult[];
  hooks: readonly OpResult<HookOp>[];
}>;

/**
 * An event of a run, for reporters. Skipped: a condition does not hold; `exit` is that of its command. Waiting: an
 * attempt failed, and another one follows. An op ends once, with its last attempt. Refused: a call without commands
 * failed, because a reference has no value. The events of the branches of a group come in between its start and its end;
 * member output: the output of a branch follows, as a whole. Kept: an earlier session of the run has finished the op.
 * Left out: it is not in the selected part of the workflow. Declined: the answer to
 * the question of a step is no, or there is no terminal to ask at.
 */
export type RunEvent = Readonly<
  | { kind: 'started'; op: CommandOp }
  | { kind: 'waiting'; op: RunOp; exit: Exit; attempt: number }
  | { kind: 'ended'; op: CommandOp; exit: Exit; attempts: number }
  | { kind: 'skipped'; op: ConditionOp; exit: Exit | null }
  | { kind: 'kept'; op: Op }
  | { kind: 'left out'; op: Op }
  | { kind: 'declined'; op: RunOp; asked: boolean }
  | { kind: 'refused'; step: StepPosition; reason: string }
  | { kind: 'group started'; op: ParallelOp }
  | { kind: 'member output'; op: ParallelOp; branch: Branch }
  | { kind: 'group ended'; op: ParallelOp; failed: boolean }
>;
