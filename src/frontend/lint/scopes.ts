import type { Step, Variables, WorkflowFile } from '../ast.ts';
import type { Owner } from '../diagnostics/diagnostic.ts';

/** The owner of what belongs to no workflow. */
export const FILE: Owner = { workflow: '' };

/** The variables of one `env` or `with` field. */
type Scope = readonly [field: 'env' | 'with', Variables, Owner];

/** All steps of a file. */
export function stepsOf(file: WorkflowFile): (readonly [Step, Owner])[] {
  return [...file.workflows].flatMap(([workflow, { steps }]) =>
    steps.map((step, index) => [step, { workflow, step: index + 1 }] as const),
  );
}

/** All scopes of a file. */
export function scopesOf(file: WorkflowFile): Scope[] {
  const envs = [...file.workflows].map(([workflow, { env }]): Scope => ['env', env, { workflow }]);
  const withs = stepsOf(file).map(([step, owner]): Scope => ['with', step.with, owner]);
  return [['env', file.env, FILE], ...envs, ...withs];
}
