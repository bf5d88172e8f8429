import type { CallSite } from './step_checker.ts';
import { DiagnosticList } from '../diagnostics/diagnostic.ts';

type Calls = ReadonlyMap<string, readonly CallSite[]>;

/**
 * Finds calls of unknown workflows, and cyclic calls.
 *
 * `names` and `calls` are in file order. Takes time linear in both, and constant stack space for chains of any length.
 * Each strongly connected group of workflows is reported once, as a shortest cycle through its first workflow.
 */
export function checkCalls(names: ReadonlySet<string>, calls: readonly CallSite[]): DiagnosticList {
  const errors = new DiagnosticList();
  const outgoing = new Map<string, CallSite[]>([...names].map((name) => [name, []]));
  for (const call of calls) {
    const { owner, range, target: name } = call;
    if (names.has(name)) outgoing.get(owner.workflow)?.push(call);
    else {
      errors.add({ severity: 'error', code: 'unknown workflow', name, known: names, owner, range });
    }
  }
  const groups = connectedGroups(outgoing);
  const reported = new Set<number | undefined>();
  for (const workflow of names) {
    const group = groups.get(workflow);
    if (reported.has(group)) continue;
    const cycle = shortestCycle(workflow, outgoing, (other) => groups.get(other) === group);
    const [first] = cycle;
    if (first === undefined) continue;
    reported.add(group);
    const path = [...cycle.map((call) => call.owner.workflow), workflow];
    errors.add({ severity: 'error', code: 'cycle', path, owner: { workflow }, range: first.range });
  }
  return errors;
}

/** The calls of a shortest path from a workflow back to itself; none if there is no such path. */
function shortestCycle(start: string, outgoing: Calls, inGroup: (name: string) => boolean): CallSite[] {
  const reachedBy = new Map<string, CallSite>();
  const queue = [start];
  for (const name of queue) {
    for (const call of outgoing.get(name) ?? []) {
      if (!inGroup(call.target) || reachedBy.has(call.target)) continue;
      reachedBy.set(call.target, call);
      queue.push(call.target);
    }
  }
  const path: CallSite[] = [];
  for (let call = reachedBy.get(start); call !== undefined;) {
    path.push(call);
    call = call.owner.workflow === start ? undefined : reachedBy.get(call.owner.workflow);
  }
  return path.toReversed();
}

/**
 * The number of the strongly connected group of each workflow. This is the path-based algorithm (Gabow, "Path-based
 * depth-first search for strong and biconnected components", 2000) with an explicit stack in place of recursion.
 */
function connectedGroups(outgoing: Calls): Map<string, number> {
  const groups = new Map<string, number>();
  const order = new Map<string, number>();
  const unassigned: string[] = [];
  /** The order numbers of the workflows on the path that may still be the root of a group. */
  const open: number[] = [];
  const path: { readonly name: string; readonly calls: Iterator<CallSite> }[] = [];
  const enter = (name: string): void => {
    open.push(order.size);
    order.set(name, order.size);
    unassigned.push(name);
    path.push({ name, calls: (outgoing.get(name) ?? []).values() });
  };
  for (const root of outgoing.keys()) {
    if (!order.has(root)) enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const call: CallSite | undefined = top.calls.next().value;
      const index = order.get(call?.target ?? top.name) ?? -1;
      if (call !== undefined && index === -1) enter(call.target);
      else if (call !== undefined) {
        while (!groups.has(call.target) && (open.at(-1) ?? -1) > index) open.pop();
      } else {
        path.pop();
        if (open.at(-1) !== index) continue;
        open.pop();
        for (const name of unassigned.splice(unassigned.lastIndexOf(top.name))) groups.set(name, index);
      }
    }
  }
  return groups;
}
