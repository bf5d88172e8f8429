import type { Step, Workflow, WorkflowFile } from '../frontend/ast.ts';

/** A plan may hold at most this many operations. */
export const OPERATION_LIMIT = 100_000;

/** Counting stops here: numbers of this size only show that calls multiply. */
const COUNT_LIMIT = 10n ** 24n;

/** A workflow that is known to exist: references were checked when the file was read. */
export function workflowOf(file: WorkflowFile, name: string): Workflow {
  const workflow = file.workflows.get(name);
  if (workflow === undefined) throw new Error(`no workflow ${name} in a checked file`);
  return workflow;
}

/**
 * How many operations each workflow comes to if it is the one asked for: an operation is a command
 * (the hooks' too), a condition, a call, or a reference to an output. Takes time linear in the file, whatever the number,
 * because a workflow is counted once however often it is called.
 */
export function countOperations(file: WorkflowFile): (workflow: string) => bigint {
  const hooks = [file.beforeAll, file.afterAll, file.error, file.finally].filter((hook) => hook !== undefined);
  const counts = new Map<string, bigint>();
  return (workflow) => {
    const stack = [workflow];
    for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
      // Whoever calls a workflow puts it on the stack; it is counted for the first of them.
      const steps = counts.has(name) ? [] : workflowOf(file, name).steps;
      const called = steps.flatMap((step) => (step.kind === 'call' ? step.workflow : []));
      const uncounted = new Set(called.filter((target) => !counts.has(target)));
      for (const target of uncounted) stack.push(target);
      if (uncounted.size > 0) continue;
      const conditions = steps.filter(({ condition }) => condition !== undefined).length;
      const own = BigInt(steps.length + conditions + steps.reduce((sum, step) => sum + referencesOf(step), 0));
      const total = called.reduce((sum, target) => sum + (counts.get(target) ?? 0n), own);
      if (!counts.has(name)) counts.set(name, total < COUNT_LIMIT ? total : COUNT_LIMIT);
      stack.pop();
    }
    const own = hooks.reduce((sum, { references }) => sum + 1 + references.length, 0);
    return BigInt(own) + (counts.get(workflow) ?? 0n);
  };
}

function referencesOf(step: Step): number {
  let count = step.condition?.references.length ?? 0;
  if (step.kind === 'run') count += step.command.references.length;
  for (const { references } of step.with.values()) count += references.length;
  return count;
}

/** The number as text, `more than …` where counting stopped. */
export function operationsText(operations: bigint): string {
  return operations < COUNT_LIMIT ? String(operations) : `more than ${COUNT_LIMIT}`;
}
