import type { Step } from './ast.ts';
import type { StepNumber } from './diagnostics/diagnostic.ts';

/** A step with its number in its workflow. */
export type NumberedStep = readonly [step: Step, number: StepNumber];

/** The steps of a workflow with the members of their groups, each after its group. */
export function flatSteps(steps: readonly Step[], group?: StepNumber): NumberedStep[] {
  return steps.flatMap((step, index): NumberedStep[] => {
    const number = memberNumber(index + 1, group);
    const own: NumberedStep = [step, number];
    return step.kind === 'group' ? [own, ...flatSteps(step.members, number)] : [own];
  });
}

/** The number of a step from its position, counted from 1: `2`, or `2.1` as a member of the group `2`. */
export function memberNumber(position: number, group: StepNumber | undefined): StepNumber {
  return group === undefined ? position : `${group}.${position}`;
}
