import { secretNames } from '../../ir/secrets.ts';
import type { Plan } from '../../ir/plan.ts';

/** True for a value without references. References are resolved on the worker, so they store no secret. */
function isFixed(value: string): boolean {
  return value !== '' && !value.includes('$');
}

/** The reasons not to store a plan in a database: parameters and fixed values under secret names. */
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
