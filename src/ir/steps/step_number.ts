import { truncateLine } from '../../base/truncate.ts';
import type { StepNumber } from '../../frontend/diagnostics/diagnostic.ts';
import { at } from '../plan.ts';

/*
 * The number of a step: `2`, or `2.1` for a member of the group that is step 2. The number of a copy of a step with a
 * matrix ends in its combination: `2.1 (linux, 20)`.
 */

/** The number without the combination. */
export function plainNumber(step: StepNumber): string {
  return String(step).replace(/ .*/s, '');
}

/** The combination in parentheses with a leading blank; '' for a step without a matrix. */
export function combinationSuffix(step: StepNumber): string {
  return String(step).slice(plainNumber(step).length);
}

/** The number of the group that a step is a member of, '' for none. */
export function groupNumber(step: StepNumber): string {
  const number = plainNumber(step);
  return number.slice(0, Math.max(0, number.lastIndexOf('.')));
}

/** Calls, each with the position of the step that makes it. */
type Calls = readonly Readonly<{ from: Readonly<{ call: number; step: StepNumber }> | null }>[];

/** The combinations of a step, its call and the calls around it, outermost last, with a blank before: ` (b) (20)`. */
export function combinationsAround({ calls }: Readonly<{ calls: Calls }>, call: number, step: StepNumber = ''): string {
  let suffixes = combinationSuffix(step);
  for (let { from } = at(calls, call); from !== null; { from } = at(calls, from.call))
    suffixes += combinationSuffix(from.step);
  return suffixes === '' ? '' : ` ${truncateLine(suffixes)}`;
}
