import type { WorkflowFile } from '../../frontend/ast.ts';
import { withMembers } from '../../base/with_members.ts';
import { countCombinations } from './matrix.ts';

const NONE: ReadonlySet<string> = new Set();

/** Two, or more. */
const MANY = 2n;

/** The workflows with `once` that a run of a workflow calls more than once, directly or not. */
export function repeatedCalls({ workflows }: WorkflowFile, requested: string): ReadonlySet<string> {
  const once = [...workflows].flatMap(([name, workflow]) => (workflow.once ? name : []));
  if (once.length === 0) return NONE;
  const counts = new Map<string, bigint>([[requested, 1n]]);
  // A caller comes before the workflows that it calls, so its own count is complete.
  for (const name of callersFirst(workflows, requested)) {
    const own = counts.get(name) ?? 0n;
    for (const step of withMembers(workflows.get(name)?.steps ?? [])) {
      if (step.kind !== 'call') continue;
      const count = (counts.get(step.workflow) ?? 0n) + own * countCombinations(step.matrix);
      counts.set(step.workflow, count < MANY ? count : MANY);
    }
  }
  return new Set(once.filter((name) => (counts.get(name) ?? 0n) >= MANY));
}

/** The workflows that a run reaches, callers first. Iterative, because calls may nest deeply. */
export function callersFirst(workflows: WorkflowFile['workflows'], requested: string): readonly string[] {
  const done: string[] = [];
  const seen = new Set<string>();
  const stack: { readonly name: string; readonly called: Iterator<string> }[] = [];
  const enter = (name: string): void => {
    if (seen.size === seen.add(name).size) return;
    const steps = [...withMembers(workflows.get(name)?.steps ?? [])];
    const called = steps.flatMap((step) => (step.kind === 'call' ? step.workflow : []));
    stack.push({ name, called: called.values() });
  };
  enter(requested);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.called.next();
    if (next.done !== true) enter(next.value);
    else {
      done.push(top.name);
      stack.pop();
    }
  }
  return done.toReversed();
}
