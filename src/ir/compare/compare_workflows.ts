import type { Workflow } from '../../frontend/ast.ts';
import type { Plan } from '../plan.ts';
import { comparePlans, wholePlan, type StepChange } from './compare_plans.ts';

/**
 * A workflow with a changed plan. `text`: whether its own text has changed, not only called workflows and inherited
 * variables.
 */
export type WorkflowChange = Readonly<{
  workflow: string;
  change: 'added' | 'removed' | 'changed';
  text: boolean;
  steps: readonly StepChange[];
}>;

/** A workflow on one side of a comparison, with its plan. */
export type ComparedWorkflow = Readonly<{ workflow: Workflow; plan: Plan }>;

/** Compares a workflow of two files; it may be missing in one of them. Returns undefined if the plan is the same. */
export function compareWorkflows(
  name: string,
  before: ComparedWorkflow | undefined,
  after: ComparedWorkflow | undefined,
): WorkflowChange | undefined {
  if (before === undefined || after === undefined) {
    const [side, change] = after === undefined ? [before, 'removed' as const] : [after, 'added' as const];
    return side && { workflow: name, change, text: true, steps: wholePlan(side.plan, change) };
  }
  const steps = comparePlans(before.plan, after.plan);
  if (steps.length === 0) return undefined;
  return { workflow: name, change: 'changed', text: textOf(before.workflow) !== textOf(after.workflow), steps };
}

/** A workflow without its position and layout in the file. */
function textOf(workflow: Workflow): string {
  return JSON.stringify(workflow, (key, value: unknown) => {
    // The scope of an included file is inherited.
    if (['range', 'offset', 'start', 'end', 'scope'].includes(key)) return undefined;
    return value instanceof Map ? [...value] : value;
  });
}
