import type { Step } from './ast.ts';
import type { StepNumber } from './diagnostics/diagnostic.ts';

/** A step with its number in its workflow. */
export type NumberedStep = readonly [step: Step, number: StepNumber];

/** The steps of a workflow, with the members of each group after the group. */
export function flatSteps(steps: readonly Step[]): readonly NumberedStep[] {
  const flat: NumberedStep[] = [];
  addSteps(flat, steps, undefined);
  return flat;
}

function addSteps(flat: NumberedStep[], steps: readonly Step[], group: StepNumber | undefined): void {
  let position = 0;
  for (const step of steps) {
    position += 1;
    const number = memberNumber(position, group);
    flat.push([step, number]);
    if (step.kind === 'group') addSteps(flat, step.members, number);
  }
}

/** The number of a step from its position, counted from 1: `2`, or `2.1` as a member of the group `2`. */
export function memberNumber(position: number, group: StepNumber | undefined): StepNumber {
  return group === undefined ? position : `${group}.${position}`;
}
