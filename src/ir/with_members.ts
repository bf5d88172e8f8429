import type { Step } from '../frontend/ast.ts';

/** Steps with the members of their groups, each after its group. */
export function withMembers(steps: readonly Step[]): readonly Step[] {
  if (steps.every(({ kind }) => kind !== 'group')) return steps;
  return steps.flatMap((step) => (step.kind === 'group' ? [step, ...withMembers(step.members)] : [step]));
}
