import { at, type ConditionOp, type Op, type Plan } from '../ir/plan.ts';
import { truncateLine } from '../truncate.ts';

/** The short name of an op in progress lines and summaries. */
export function opTitle(op: Op): string {
  if (op.kind === 'hook') return `hook ${op.hook}`;
  return op.kind === 'run' ? truncateLine(op.name) : `the condition of step ${op.step}`;
}

/** The name of an op as the subject of a sentence: `step 'test' of workflow 'ci'`. */
export function describeOp({ calls }: Plan, op: Op): string {
  if (op.kind === 'hook') return `hook '${op.hook}'`;
  const subject = op.kind === 'run' ? `step '${op.name}'` : `the condition of step ${op.step}`;
  return `${subject} of workflow '${at(calls, op.call).workflow}'`;
}

/** The reason for a skipped step. */
export function skipReason({ test }: ConditionOp): string {
  return test.kind === 'variable' ? `${test.name} is not set` : `condition failed: ${test.command}`;
}
