import type { ImportedWorkflow } from './imported.ts';

/**
 * A line for each workflow that reaches another one through several calls. The other tool runs such a dependency once,
 * whereas a workflow runs each time it is called.
 */
export function repeatedCalls(workflows: readonly ImportedWorkflow[]): string[] {
  const targets = new Map(
    workflows.map(({ name, steps }) => [
      name,
      steps.flatMap((step) => ('workflow' in step && step.once === true ? [step.workflow] : [])),
    ]),
  );
  const known = new Map<string, ReadonlySet<string>>();
  /** The workflows that a call runs, including itself. The file has no cyclic calls. */
  const reached = (name: string): ReadonlySet<string> => {
    const found = known.get(name) ?? new Set([name, ...reachedBy(targets.get(name) ?? [])]);
    known.set(name, found);
    return found;
  };
  const reachedBy = (called: readonly string[]): string[] => called.flatMap((target) => Array.from(reached(target)));
  return [...targets].flatMap(([name, called]) => {
    const counts = new Map<string, number>();
    for (const each of reachedBy(called)) counts.set(each, (counts.get(each) ?? 0) + 1);
    const repeated = [...counts].flatMap(([each, count]) => (count > 1 ? [`'${each}'`] : []));
    return repeated.length === 0 ? [] : [`a run of '${name}' runs ${repeated.join(', ')} more than once`];
  });
}
