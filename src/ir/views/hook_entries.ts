import { at, type Plan, type WorkflowHook } from '../plan.ts';
import { NAMES, stepPaths, type PathEntry } from '../steps/step_paths.ts';

/** A hook of a workflow in documents. `step` is the path of the calling step; the requested workflow has none. */
export type HookEntry = Readonly<{ hook: string; workflow: string; step: string | undefined; command: string }>;

/** Returns a function for the entries of the hooks of a plan's workflows, to which it adds fields. */
export function createHookEntries(plan: Plan): <Rest>(op: WorkflowHook, rest: Rest) => HookEntry & Rest {
  const calls = new Map<number, PathEntry>();
  for (const entry of stepPaths(plan, NAMES)) if (entry.kind === 'call') calls.set(entry.index, entry);
  return ({ hook, call, command }, rest) => {
    const step = calls.get(call)?.path.join('/');
    return { hook, workflow: at(plan.calls, call).workflow, step, command, ...rest };
  };
}
