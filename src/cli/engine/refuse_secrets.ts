import { secretNames } from '../../ir/secret_names.ts';
import type { Plan } from '../../ir/plan.ts';

/** True for a value without references. References are resolved on the worker, so they store no secret. */
function isFixed(value: string, references: readonly (readonly unknown[] | undefined)[]): boolean {
  return value !== '' && references.every((each = []) => each.length === 0);
}

/**
 * The reasons not to store a plan in a database: parameters and fixed values under secret names, and the defaults and
 * options of secret inputs, whose text contains no references.
 */
export function secretProblems(plan: Plan): readonly string[] {
  const { frames, params } = plan;
  const isSecret = secretNames({ frames });
  const found = [
    ...params.flatMap(([name, value]) => (value === '' ? [] : name)),
    ...frames.flatMap(({ vars }) => vars.flatMap(([name, value, ...refs]) => (isFixed(value, refs) ? name : []))),
    ...frames.flatMap(({ inputs = [] }) => {
      return inputs.flatMap(({ name, default: value, options }) => (value || options.length > 0 ? name : []));
    }),
  ];
  return [...new Set(found.filter(isSecret))].map(
    (name) => `'${name}' looks like a secret and would be stored in the database; set it in the worker's environment`,
  );
}
