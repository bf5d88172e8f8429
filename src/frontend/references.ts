import type { Call } from './check.ts';
import type { Collector, Diagnostic } from './diagnostic.ts';
import { nearest } from './nearest.ts';

/**
 * Finds calls of workflows that do not exist, and cycles of calls.
 *
 * `names` and `calls` are in file order. Takes time linear in both, and no stack: a chain of 20,000
 * calls is fine. Each group of workflows that can all reach each other is reported once, by a
 * shortest cycle through its first workflow.
 */
export function checkReferences(
  names: ReadonlySet<string>,
  calls: readonly Call[],
  errors: Collector<Diagnostic>,
): void {
  const outgoing = new Map<string, Call[]>([...names].map((name) => [name, []]));
  for (const call of calls) {
    if (names.has(call.target)) outgoing.get(call.place.workflow)?.push(call);
    else {
      const { place, range, target } = call;
      const suggestion = nearest(target, names);
      errors.add({ code: 'unknown workflow', name: target, nearest: suggestion, place, range });
    }
  }
  const reported = new Set<number>();
  const groups = connectedGroups(outgoing);
  for (const name of names) {
    const group = groups.get(name);
    if (group === undefined || reported.has(group)) continue;
    const cycle = shortestCycle(name, outgoing, (other) => groups.get(other) === group);
    const [first] = cycle;
    if (first === undefined) continue;
    reported.add(group);
    const path = [...cycle.map((call) => call.place.workflow), name];
    errors.add({ code: 'cycle', path, place: { workflow: name }, range: first.range });
  }
}

/** The calls of a shortest way from a workflow back to itself; none if there is no such way. */
function shortestCycle(
  start: string,
  outgoing: ReadonlyMap<string, readonly Call[]>,
  inGroup: (name: string) => boolean,
): Call[] {
  const reachedBy = new Map<string, Call>();
  const queue = [start];
  for (const name of queue) {
    for (const call of outgoing.get(name) ?? []) {
      if (call.target === start) {
        const path = [call];
        for (let at = name; at !== start;) {
          const before = reachedBy.get(at);
          if (before === undefined) throw new Error('the search reached a workflow by no call');
          path.push(before);
          at = before.place.workflow;
        }
        return path.toReversed();
      }
      if (!inGroup(call.target) || reachedBy.has(call.target)) continue;
      reachedBy.set(call.target, call);
      queue.push(call.target);
    }
  }
  return [];
}

/**
 * The strongly connected group of every workflow, by number: Tarjan's algorithm ("Depth-first search
 * and linear graph algorithms", 1972) with a stack of its own in place of recursion.
 */
function connectedGroups(outgoing: ReadonlyMap<string, readonly Call[]>): Map<string, number> {
  const groups = new Map<string, number>();
  const visits = new Map<string, { readonly index: number; low: number }>();
  const unassigned: string[] = [];
  for (const root of outgoing.keys()) {
    if (visits.has(root)) continue;
    const path: { name: string; calls: Iterator<Call> }[] = [];
    const enter = (name: string): void => {
      visits.set(name, { index: visits.size, low: visits.size });
      unassigned.push(name);
      path.push({ name, calls: (outgoing.get(name) ?? []).values() });
    };
    enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { name } = top;
      const visit = visits.get(name);
      if (visit === undefined) throw new Error('a workflow on the path was never entered');
      const next = top.calls.next();
      if (next.done !== true) {
        const seen = visits.get(next.value.target);
        if (seen === undefined) enter(next.value.target);
        else if (!groups.has(next.value.target)) visit.low = Math.min(visit.low, seen.index);
        continue;
      }
      path.pop();
      const caller = visits.get(path.at(-1)?.name ?? name);
      if (caller !== undefined) caller.low = Math.min(caller.low, visit.low);
      if (visit.low !== visit.index) continue;
      for (let member = unassigned.pop(); member !== undefined; member = unassigned.pop()) {
        groups.set(member, visit.index);
        if (member === name) break;
      }
    }
  }
  return groups;
}
