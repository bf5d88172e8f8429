import type { Call } from './check.ts';
import { Findings } from './diagnostic.ts';
import { nearest } from './nearest.ts';

type Calls = ReadonlyMap<string, readonly Call[]>;

/**
 * Finds calls of workflows that do not exist, and cycles of calls.
 *
 * `names` and `calls` are in file order. Takes time linear in both, and no stack: a chain of 20,000
 * calls is fine. Each group of workflows that can all reach each other is reported once, by a
 * shortest cycle through its first workflow.
 */
export function checkReferences(names: ReadonlySet<string>, calls: readonly Call[]): Findings {
  const errors = new Findings();
  const outgoing = new Map<string, Call[]>([...names].map((name) => [name, []]));
  for (const call of calls) {
    const { place, range, target: name } = call;
    if (names.has(name)) outgoing.get(place.workflow)?.push(call);
    else {
      const fault = { code: 'unknown workflow', name, nearest: nearest(name, names) } as const;
      errors.add({ severity: 'error', place, range, ...fault });
    }
  }
  const groups = connectedGroups(outgoing);
  const reported = new Set<number | undefined>();
  for (const name of names) {
    const group = groups.get(name);
    if (reported.has(group)) continue;
    const cycle = shortestCycle(name, outgoing, (other) => groups.get(other) === group);
    const [first] = cycle;
    if (first === undefined) continue;
    reported.add(group);
    const path = [...cycle.map((call) => call.place.workflow), name];
    const place = { workflow: name };
    errors.add({ severity: 'error', code: 'cycle', path, place, range: first.range });
  }
  return errors;
}

/** The calls of a shortest way from a workflow back to itself; none if there is no such way. */
function shortestCycle(start: string, outgoing: Calls, inGroup: (name: string) => boolean): Call[] {
  const reachedBy = new Map<string, Call>();
  const queue = [start];
  for (const name of queue) {
    for (const call of outgoing.get(name) ?? []) {
      if (!inGroup(call.target) || reachedBy.has(call.target)) continue;
      reachedBy.set(call.target, call);
      queue.push(call.target);
    }
  }
  const path: Call[] = [];
  for (let call = reachedBy.get(start); call !== undefined;) {
    path.push(call);
    call = call.place.workflow === start ? undefined : reachedBy.get(call.place.workflow);
  }
  return path.toReversed();
}

/**
 * The strongly connected group of every workflow, by number: Tarjan's algorithm ("Depth-first search
 * and linear graph algorithms", 1972) with a stack of its own in place of recursion.
 */
function connectedGroups(outgoing: Calls): Map<string, number> {
  const groups = new Map<string, number>();
  const indices = new Map<string, number>();
  const unassigned: string[] = [];
  type Visit = { readonly name: string; readonly index: number; low: number; next: number };
  for (const root of outgoing.keys()) {
    const path: Visit[] = [];
    const enter = (name: string): void => {
      const index = indices.size;
      indices.set(name, index);
      unassigned.push(name);
      path.push({ name, index, low: index, next: 0 });
    };
    if (!indices.has(root)) enter(root);
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const target = outgoing.get(visit.name)?.[visit.next]?.target;
      visit.next += 1;
      if (target !== undefined) {
        const index = indices.get(target);
        if (index === undefined) enter(target);
        else if (!groups.has(target)) visit.low = Math.min(visit.low, index);
        continue;
      }
      path.pop();
      const caller = path.at(-1);
      if (caller !== undefined) caller.low = Math.min(caller.low, visit.low);
      if (visit.low !== visit.index) continue;
      for (const member of unassigned.splice(unassigned.lastIndexOf(visit.name))) {
        groups.set(member, visit.index);
      }
    }
  }
  return groups;
}
