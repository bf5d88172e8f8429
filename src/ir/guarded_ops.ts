import { isCheck } from './ops.ts';
import type { HookOp, Plan, RunOp } from './plan.ts';

/** Whether a condition may skip an op, or one that is written as `if`. */
export function guardedOps({ ops }: Plan, by: 'any' | 'if' = 'any'): (op: number) => boolean {
  let target = 0;
  const isGuarded = ops.map((op, index) => {
    const guarded = target > index;
    if (op.kind === 'condition' && !(by === 'if' && isCheck(op))) target = Math.max(target, op.target);
    return guarded;
  });
  return (op) => isGuarded[op] ?? false;
}

/** The steps and hooks that no condition skips, with their indexes. Hooks for a failure may not run. */
export function* certainCommands(plan: Plan): Generator<readonly [index: number, op: RunOp | HookOp]> {
  const isGuarded = guardedOps(plan);
  for (const [index, op] of plan.ops.entries()) {
    const isCertain = op.kind === 'run' || (op.kind === 'hook' && op.when !== 'failure');
    if (isCertain && !isGuarded(index)) yield [index, op];
  }
}
