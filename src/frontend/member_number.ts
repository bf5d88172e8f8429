import type { StepNumber } from './diagnostics/diagnostic.ts';

/** The number of a step from its position, counted from 1: `2`, or `2.1` as a member of the group `2`. */
export function memberNumber(position: number, group: StepNumber | undefined): StepNumber {
  return group === undefined ? position : `${group}.${position}`;
}
