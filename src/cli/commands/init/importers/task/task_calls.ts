import { callsIn, type ImportedWorkflow } from '../../imported.ts';
import { forwardUses, type ImportedUses } from '../../imported_uses.ts';

/** A task as a workflow, with the places where it expands variables. */
export type ConvertedTask = Readonly<{ workflow: ImportedWorkflow; uses: ImportedUses }>;

/**
 * Why tasks cannot call others with variables: the shell would read the value of an argument differently than its text,
 * or the variable would also hold in the tasks that the called one calls.
 */
export function reasonsAgainstCalls(tasks: readonly ConvertedTask[]): ReadonlyMap<string, string> {
  const known = new Map(tasks.map((task) => [task.workflow.name, task]));
  const reasons = new Map<string, string>();
  /** Adds the uses of the variables that a task passes on to its own. */
  const forward = ({ workflow, uses }: ConvertedTask): void => {
    for (const { callee, values } of callsOf(workflow, known)) {
      for (const [name, value] of values) {
        forwardUses(value, callee.uses.of(name), uses);
      }
    }
  };
  // A chain of calls is at most as long as the list.
  for (let round = 0; round < Math.min(tasks.length, 20); round += 1) tasks.forEach(forward);
  for (const { workflow } of tasks) {
    for (const { callee, values } of callsOf(workflow, known)) {
      for (const [name, value] of values) {
        const { name: target } = callee.workflow;
        if (!/\$\{(?:vars|steps)\./.test(value) && !callee.uses.isSafe(name, value)) {
          reasons.set(workflow.name, `the shell would not read its argument '${name}' for '${target}' as text`);
        } else if (reaches(callee, name, known)) {
          reasons.set(
            workflow.name,
            `its argument '${name}' for '${target}' would also hold in the tasks that it calls`,
          );
        }
      }
    }
  }
  return reasons;
}

type Call = Readonly<{ callee: ConvertedTask; values: ReadonlyMap<string, string> }>;

function callsOf({ steps }: ImportedWorkflow, known: ReadonlyMap<string, ConvertedTask>): Call[] {
  return callsIn(steps).flatMap((step) => {
    const callee = known.get(step.workflow);
    return callee === undefined ? [] : [{ callee, values: step.with ?? new Map() }];
  });
}

/** Whether a task calls another one that uses a variable, without a value for it. */
function reaches(task: ConvertedTask, name: string, known: ReadonlyMap<string, ConvertedTask>): boolean {
  const found = new Set([task]);
  for (const { workflow } of found) {
    for (const { callee, values } of callsOf(workflow, known)) {
      if (values.has(name)) continue;
      if (callee.uses.of(name).length > 0) return true;
      found.add(callee);
    }
  }
  return false;
}
