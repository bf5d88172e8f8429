import type { Step } from '../../frontend/ast.ts';
import type { Directory } from '../plan.ts';
import { combinationsOf, type Combination } from './matrix.ts';
import type { OpenGroup } from './open_group.ts';

/**
 * A workflow or group in the process of flattening. `guard` is the index of the condition of its call or group, null
 * without one.
 */
export type Activation = Readonly<{
  call: number;
  frame: number;
  directory: Directory;
  guard: number | null;
  steps: readonly Step[];
  group: OpenGroup | null;
}> & {
  /** The index of the next step. */
  next: number;
  /** The remaining combinations of the last step, if it has a matrix. */
  copies?: Generator<Combination>;
};

/** A step, or a copy of it for one combination of its matrix. */
export type StepCopy = Readonly<{ step: Step; combination: Combination | null }>;

/** The next step of an activation, or the next copy of its last one. */
export function nextStep(top: Activation): StepCopy | undefined {
  for (;;) {
    const last = top.steps[top.next - 1];
    const combination = top.copies?.next().value;
    if (last !== undefined && combination) return { step: last, combination };
    const step = top.steps[top.next];
    top.next += 1;
    if (step === undefined || step.matrix === null) return step && { step, combination: null };
    top.copies = combinationsOf(step.matrix);
  }
}
