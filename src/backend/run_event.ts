import type { CommandOp, ConditionOp, HookOp, Op, ParallelOp, RunOp, StepPosition } from '../ir/plan.ts';
import type { BranchOptions, Exit } from './command_runner.ts';

/** A hook whose command ran. */
export type HookResult = Readonly<{ op: HookOp; exitCode: number }>;

/**
 * The result of a step: the number of attempts, the end of the last one, and whether it failed. A step that did not
 * start, because a reference has no value, has no attempts. `kept`: it ran in an earlier session of the run. The exit
 * code is null if its end was not recorded.
 */
export type StepResult = Readonly<{ op: RunOp; exitCode: number | null; attempts: number; exit: Exit }> &
  Readonly<{ failed: boolean; kept?: true }>;

/** The result of a run: the steps and hooks that ran, in the order of the plan. */
export type Outcome = Readonly<{
  success: boolean;
  interrupted: NodeJS.Signals | undefined;
  steps: readonly StepResult[];
  hooks: readonly HookResult[];
}>;

/**
 * An event of a run, for reporters. `index` is that of the op in the plan.
 *
 * - `held`: a condition on a variable holds; a condition with a command has `started` and `ended`
 * - `skipped`: a condition does not hold; `exit` is the end of its command
 * - `waiting`: an attempt failed, and another one follows; an op ends once, with its last attempt
 * - `refused`: a call without commands failed, because a reference has no value
 * - `group started`, `group ended`: the events of the group's branches come in between
 * - `member output`: the whole output of a branch, or of a step in the background, follows
 * - `ready`: a step in the background is ready, some milliseconds after its start
 * - `not ready`: it is not ready after a number of tries
 * - `kept`: an earlier session of the run has finished the op
 * - `left out`: the op is outside of the selected part
 * - `declined`: the answer to a step's question was no, or there is no terminal
 */
export type RunEvent = Readonly<
  | { kind: 'started'; op: CommandOp; index: number }
  | { kind: 'waiting'; op: RunOp; index: number; exit: Exit; attempt: number }
  | { kind: 'ended'; op: CommandOp; index: number; exit: Exit; attempts: number }
  | { kind: 'held'; op: ConditionOp; index: number }
  | { kind: 'skipped'; op: ConditionOp; index: number; exit: Exit | null }
  | { kind: 'kept'; op: Op; index: number }
  | { kind: 'left out'; op: Op; index: number }
  | { kind: 'declined'; op: RunOp; index: number; asked: boolean }
  | { kind: 'refused'; step: StepPosition; reason: string }
  | { kind: 'group started'; op: ParallelOp; index: number }
  | { kind: 'member output'; op: ParallelOp | RunOp; index: number; branch: BranchOptions['branch'] }
  | { kind: 'ready'; op: RunOp; index: number; milliseconds: number }
  | { kind: 'not ready'; op: RunOp; index: number; tries: number; awaited: string }
  | { kind: 'group ended'; op: ParallelOp; index: number; failed: boolean }
>;
