import { secretNames } from '../../ir/mask.ts';
import type { Plan } from '../../ir/plan.ts';

/** A value under a secret name may refer to other variables, which the worker has; a fixed one would be stored. */
function isFixed(value: string): boolean {
  return value !== '' && !value.includes('$');
}

/** Why a plan must not be stored in a database: the parameters and fixed values under secret names. */
export function secretProblems(plan: Plan): readonly string[] {
  const isSecret = secretNames(plan);
  const variables = plan.frames.flatMap(({ vars, inputs = [] }) => [
    ...vars.map(([name, value]) => [name, value] as const),
    ...inputs.map(({ name, default: value }) => [name, value ?? ''] as const),
  ]);
  const found = [...plan.params, ...variables].filter(([name, value]) => isSecret(name) && isFixed(value));
  return [...new Set(found.map(([name]) => name))].map(
    (name) => `'${name}' looks like a secret and would be stored in the database; set it in the worker's environment`,
  );
}
