import { isInBackground } from '../ops.ts';
import { at, type Op, type Plan, type StepPosition } from '../plan.ts';
import { combinationsAround } from './step_number.ts';

/** The name of an op as the subject of a sentence: `step 'test' of workflow 'ci'`. */
export function describeOp(plan: Plan, op: Op): string {
  if (op.kind === 'hook') {
    const owner = op.call === undefined ? '' : ` of ${describeCall(plan, op.call)}`;
    return `hook '${op.hook}'${owner}`;
  }
  if (op.kind === 'stop') return `the stop of steps in the background of ${describeCall(plan, op.call)}`;
  const step = isInBackground(op) ? 'background step' : 'step';
  const subject = op.kind !== 'condition' ? `${step} '${op.name}'` : `the condition of step ${op.step}`;
  return `${subject} of ${describeCall(plan, op.call)}`;
}

/** The workflow of a call, with its combination in a matrix: `workflow 'test' (b)`. */
export function describeCall(plan: Plan, index: number): string {
  return `workflow '${at(plan.calls, index).workflow}'${combinationsAround(plan, index)}`;
}

/** A step with its number: `step 2 of workflow 'ci'`. */
export function describePosition(plan: Plan, { call, step }: StepPosition): string {
  return `step ${step} of ${describeCall(plan, call)}`;
}

/** The field of documents with the combination of a copy: that of the calls with a matrix around it. */
export function copyField(plan: Plan, call: number): Readonly<{ copy?: string }> {
  const copy = combinationsAround(plan, call).trim();
  return copy === '' ? {} : { copy };
}
