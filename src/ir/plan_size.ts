import type { Step, Workflow, WorkflowFile } from '../frontend/ast.ts';
import { countCombinations } from './compile/matrix.ts';
import { withMembers } from '../with_members.ts';

/** Maximum number of operations of a plan. */
export const OPERATION_LIMIT = 100_000;

/** The limit of counting. Multiplying calls soon exceed any number worth showing. */
const COUNT_LIMIT = 10n ** 24n;

/** A workflow of a valid file. Throws if the name is unknown, which is a bug. */
export function workflowOf(file: WorkflowFile, name: string): Workflow {
  const workflow = file.workflows.get(name);
  if (workflow === undefined) throw new Error(`no workflow ${name} in a checked file`);
  return workflow;
}

/**
 * Counts the operations of a run of each workflow: commands, hooks, conditions, calls, and references to outputs. Runs
 * in time linear in the file, because each workflow is counted once, regardless of its calls.
 */
export function countOperations(file: WorkflowFile): (workflow: string) => bigint {
  const hooks = [file.beforeAll, file.afterAll, file.error, file.finally].filter((hook) => hook !== undefined);
  const counts = new Map<string, bigint>();
  return (workflow) => {
    const stack = [workflow];
    for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
      // Several callers can put a workflow on the stack. Only the first one finds it uncounted.
      const steps = counts.has(name) ? [] : withMembers(workflowOf(file, name).steps);
      const uncounted = new Set<string>();
      for (const step of steps) if (step.kind === 'call' && !counts.has(step.workflow)) uncounted.add(step.workflow);
      for (const target of uncounted) stack.push(target);
      if (uncounted.size > 0) continue;
      let total = 0n;
      // Most steps add a small number, for which arithmetic with a bigint takes long.
      let plain = 0;
      for (const step of steps) {
        const own = 1 + (step.condition === undefined ? 0 : 1) + referenceCount(step);
        const inner = step.kind === 'call' ? (counts.get(step.workflow) ?? 0n) : 0n;
        if (step.kind !== 'call' && step.matrix === null) plain += own;
        else total += countCombinations(step.matrix) * (BigInt(own) + inner);
      }
      total += BigInt(plain);
      if (!counts.has(name)) counts.set(name, total < COUNT_LIMIT ? total : COUNT_LIMIT);
      stack.pop();
    }
    const own = hooks.reduce((sum, { references }) => sum + 1 + references.length, 0);
    return BigInt(own) + (counts.get(workflow) ?? 0n);
  };
}

function referenceCount(step: Step): number {
  let count = (step.condition?.references.length ?? 0) + (step.dir?.variables?.length ?? 0);
  if (step.kind === 'run') count += step.command.references.length;
  for (const { references, variables = [] } of step.with.values()) count += references.length + variables.length;
  return count;
}

/** The number as text; `more than …` if counting stopped. */
export function operationsText(operations: bigint): string {
  return operations < COUNT_LIMIT ? String(operations) : `more than ${COUNT_LIMIT}`;
}
