import type { WorkflowFile } from '../frontend/workflow_file.ts';
import { workflowOf } from './lookup.ts';

/** A plan may hold at most this many operations. */
export const OPERATION_LIMIT = 100_000;

/** Counting stops here: numbers of this size only show that calls multiply. */
const COUNT_LIMIT = 10n ** 24n;

/**
 * How many operations each workflow comes to, hooks included, if it were the one asked for: an
 * operation is a command, a condition, or a call. Takes time linear in the file, whatever the
 * number, because a workflow is counted once however often it is called.
 */
export function countOperations(file: WorkflowFile): (workflow: string) => bigint {
  const hooks = [file.beforeAll, file.afterAll, file.error].filter((hook) => hook !== undefined);
  const counts = new Map<string, bigint>();
  return (workflow) => BigInt(hooks.length) + count(file, workflow, counts);
}

/** The number as text, `more than …` where counting stopped. */
export function operationsText(operations: bigint): string {
  return operations < COUNT_LIMIT ? String(operations) : `more than ${COUNT_LIMIT}`;
}

function count(file: WorkflowFile, workflow: string, counts: Map<string, bigint>): bigint {
  const stack = [workflow];
  for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
    let total = 0n;
    let missing = false;
    for (const step of workflowOf(file, name).steps) {
      total += step.condition === undefined ? 1n : 2n;
      if (step.kind === 'run') continue;
      const inner = counts.get(step.workflow);
      if (inner === undefined) {
        stack.push(step.workflow);
        missing = true;
      } else total += inner;
    }
    if (missing) continue;
    counts.set(name, total < COUNT_LIMIT ? total : COUNT_LIMIT);
    stack.pop();
  }
  const total = counts.get(workflow);
  if (total === undefined) throw new Error('the workflow asked for was not counted');
  return total;
}
