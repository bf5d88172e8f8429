import { isCheck } from '../ops.ts';
import { at, isWorkflowHook, type Plan } from '../plan.ts';
import type { OpId } from '../steps/identity.ts';
import type { History } from './history.ts';
import type { ConditionState, HookState, StepState } from './resume_states.ts';

/** The decided states of steps and conditions, and whether the selected part contains an op. */
type DecidedOps = Readonly<{
  ids: ReadonlyMap<number, OpId>;
  steps: ReadonlyMap<number, StepState>;
  conditions: ReadonlyMap<number, ConditionState>;
  isSelected: (op: number) => boolean;
}>;

/**
 * Numbers of ops before each op of a plan: those with something left to run, kept steps without `on_resume`, and
 * selected steps.
 */
type Counts = Readonly<Record<'left' | 'undone' | 'selected', readonly number[]>>;

/**
 * Decides which hooks of workflows belong to a resumed run: those of executions with something left to run, and a
 * `finally` that has not succeeded since the last command of its execution. Such a `finally` may fail, so the `error` of
 * the executions around it belongs to the run, too. A part contains the executions of its steps.
 */
export function decideHooks(plan: Plan, history: History, decided: DecidedOps): ReadonlyMap<number, HookState> {
  const states = new Map<number, HookState>();
  if (!plan.ops.some(isWorkflowHook)) return states;
  const counts = countOps(plan, decided);
  const isWhole = plan.ops.every((_, index) => decided.isSelected(index));
  /** The number of the last `finally` that runs. */
  let lastFinally = -1;
  for (const [index, op] of plan.ops.entries()) {
    if (!isWorkflowHook(op)) continue;
    const { start } = at(plan.calls, op.call);
    const between = (numbers: readonly number[]): number => at(numbers, index) - at(numbers, start);
    const isCleaned = op.hook === 'finally' && history.cleaned.has(JSON.stringify(decided.ids.get(index)));
    const hasSteps = isWhole || between(counts.selected) > 0;
    const hasMore = op.hook === 'finally' ? !isCleaned : lastFinally >= start;
    const runs = hasSteps && (between(counts.left) > 0 || hasMore);
    if (runs && op.hook === 'finally') lastFinally = index;
    states.set(index, { runs, cleaned: isCleaned, undoes: runs && isCleaned && between(counts.undone) > 0 });
  }
  return states;
}

function countOps(plan: Plan, { steps, conditions, isSelected }: DecidedOps): Counts {
  const counts = { left: [0], undone: [0], selected: [0] };
  /** The end of the ops that a condition skips. */
  let skippedTo = 0;
  for (const [index, op] of plan.ops.entries()) {
    const [step, condition] = [steps.get(index)?.kind, conditions.get(index)];
    if (op.kind === 'condition' && condition?.kind === 'decided' && !condition.holds)
      skippedTo = Math.max(skippedTo, op.target);
    // A check runs no command, and what it guards counts itself.
    const isTested = condition !== undefined && condition.kind !== 'decided' && index >= skippedTo && !isCheck(op);
    const isToRun =
      op.kind === 'run' && step !== 'kept' && step !== 'skipped' && step !== 'not selected' && step !== 'not needed';
    counts.left.push(at(counts.left, index) + Number(isTested || isToRun));
    const isUndone = op.kind === 'run' && step === 'kept' && op.options.onResume === undefined;
    counts.undone.push(at(counts.undone, index) + Number(isUndone));
    counts.selected.push(at(counts.selected, index) + Number(op.kind === 'run' && isSelected(index)));
  }
  return counts;
}
