import { calledBy, callsIn, type ImportedStep, type ImportedWorkflow } from './imported.ts';

type Workflows = ReadonlyMap<string, ImportedWorkflow>;

type Call = Extract<ImportedStep, { workflow: string }>;

/**
 * The workflows that get `once`, and those whose calls need no change, because they lead to no workflow that runs once
 * in some calls only. `repeating` ones lead to some workflow by two calls.
 */
export type SharedWorkflows = Readonly<Record<'once' | 'unchanged' | 'repeating', ReadonlySet<string>>>;

/** Finds the dependencies of which all calls run once, among all calls of a file. */
export function sharedWorkflows(workflows: Workflows): SharedWorkflows {
  const calls = [...workflows.values()].flatMap(({ steps }) => callsIn(steps));
  const callees = new Map([...workflows].map(([name, { steps }]) => [name, calledBy(steps)]));
  const callers = new Map([...workflows.keys()].map((name): [string, string[]] => [name, []]));
  for (const [name, called] of callees) for (const each of called) callers.get(each)?.push(name);
  // A process that a command starts, or a call after the commands, has no record of earlier tasks.
  const fresh = calls.filter(({ once }) => once === undefined || once === 'after').map(({ workflow }) => workflow);
  const changed = reached(callers, [...reached(callees, fresh), ...withSeveralValues(calls)]);
  const unchanged = new Set([...workflows.keys()].filter((name) => !changed.has(name)));
  const isRepeated = calls.some(({ once }) => once === 'always');
  const counts = new Map<string, number>();
  for (const { workflow, once } of calls)
    if (once !== 'always') counts.set(workflow, (counts.get(workflow) ?? 0) + (isRepeated ? 2 : 1));
  const once = [...counts].filter(([name, count]) => count > 1 && unchanged.has(name)).map(([name]) => name);
  const repeating = [...callees].filter(([name, called]) => called.length > 1 && repeatsCalls(callees, name));
  return {
    once: new Set(once),
    unchanged,
    repeating: reached(
      callers,
      repeating.map(([name]) => name),
    ),
  };
}

/** Whether two of the calls to which a workflow leads are of the same one. */
function repeatsCalls(callees: ReadonlyMap<string, readonly string[]>, root: string): boolean {
  const found = new Set([root]);
  for (const name of found) {
    for (const next of callees.get(name) ?? []) if (found.size === found.add(next).size) return true;
  }
  return false;
}

/** The workflows that run once whatever their values are, although their calls have different ones. */
function withSeveralValues(calls: readonly Call[]): string[] {
  const values = new Map<string, string>();
  return calls.flatMap((call) => {
    if (call.once !== 'any') return [];
    const own = JSON.stringify([...(call.with ?? [])]);
    const first = values.get(call.workflow) ?? own;
    values.set(call.workflow, first);
    return first === own && !own.includes('${') ? [] : [call.workflow];
  });
}

/** Some names, and all to which the edges of a graph lead from them. */
function reached(edges: ReadonlyMap<string, readonly string[]>, names: readonly string[]): ReadonlySet<string> {
  const found = new Set(names);
  for (const name of found) for (const next of edges.get(name) ?? []) found.add(next);
  return found;
}
