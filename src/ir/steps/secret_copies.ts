import { at, type Plan, type StepPosition } from '../plan.ts';
import { isSecret } from '../secret_names.ts';
import { combinationSuffix, plainNumber } from './step_number.ts';

const NONE: readonly number[] = [];

/**
 * Returns a function for the numbers of values that the secret variables of matrices have: those of the calls around a
 * step, and its own. Only their positions identify copies for secret values, which mean other values if the
 * number of values changes.
 */
export function createSecretCopies(plan: Plan): (step: StepPosition) => readonly number[] {
  if (!plan.frames.some(({ matrix, vars }) => matrix === true && vars.some(([name]) => isSecret(name)))) {
    return () => NONE;
  }
  const counts = new Map<string, number[]>();
  const add = (step: StepPosition): void => {
    const positions = positionsIn(step);
    if (positions.length === 0) return;
    const known = counts.get(keyOf(step)) ?? [];
    counts.set(
      keyOf(step),
      positions.map((position, index) => Math.max(position, known[index] ?? 0)),
    );
  };
  for (const op of plan.ops) if (op.kind !== 'hook' && op.kind !== 'stop') add(op);
  for (const { from } of plan.calls) if (from !== null) add(from);
  /** The numbers for the steps of each call. A call comes after its caller in the table. */
  const ofCalls: (readonly number[])[] = [];
  const copiesOf = (step: StepPosition): readonly number[] => {
    const [around, own] = [at(ofCalls, step.call), counts.get(keyOf(step))];
    return own === undefined ? around : [...around, ...own];
  };
  for (const { from } of plan.calls) ofCalls.push(from === null ? NONE : copiesOf(from));
  return copiesOf;
}

/** The step without its combination. */
function keyOf({ call, step }: StepPosition): string {
  return `${call} ${plainNumber(step)}`;
}

/** The positions of secret values in the combination of a step. Other values with `#` are quoted. */
function positionsIn({ step }: StepPosition): readonly number[] {
  const suffix = combinationSuffix(step).replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  return [...suffix.matchAll(/#(\d+)/g)].map(([, position]) => Number(position));
}
