import { at, type HookOp, type ParallelOp, type Plan, type RunOp, type StopOp } from '../plan.ts';

/**
 * A part of an outline: a call, by its index, or a step, group or hook, by the index of its op. `depth` counts the calls
 * and groups around it.
 */
export type OutlineEntry =
  | Readonly<{ kind: 'call'; index: number; depth: number }>
  | Readonly<{ kind: 'op'; index: number; depth: number; op: HookOp | RunOp | ParallelOp | StopOp }>;

/** Deeper calls are not indented further, or a chain of them would fill the screen with blanks. */
const MAX_INDENT = 12;

export function indent(depth: number): string {
  return '  '.repeat(Math.min(depth, MAX_INDENT));
}

/** The parts of an outline, in the order of the ops: each call and group before what it contains. */
export function* outlineEntries({ calls, ops }: Pick<Plan, 'calls' | 'ops'>): Generator<OutlineEntry> {
  const depths = [0];
  const groups: ParallelOp[] = [];
  /** The depth of the steps of a call at the current op: groups of steps are indented too. */
  const depthOf = (call: number): number => at(depths, call) + groups.filter((group) => group.call === call).length;
  /** The calls before the call `end` that begin at or before an op and have no entry yet. */
  function* callsUntil(index: number, end = calls.length): Generator<OutlineEntry> {
    for (let call = calls[depths.length]; call !== undefined && call.start <= index && depths.length < end;) {
      if (call.from === null) throw new Error('only the first call has no caller');
      const depth = depths[depths.push(depthOf(call.from.call) + 1) - 1] ?? 0;
      yield { kind: 'call', index: depths.length - 1, depth };
      call = calls[depths.length];
    }
  }
  /** Leaves the groups that end before an op. A call without steps may be the last member of one. */
  function* moveTo(index: number): Generator<OutlineEntry> {
    for (let group = groups.at(-1); group !== undefined && group.end.op <= index; group = groups.at(-1)) {
      yield* callsUntil(index, group.end.call);
      groups.pop();
    }
    yield* callsUntil(index);
  }

  for (const [index, op] of ops.entries()) {
    if (groups.length > 0 || depths.length < calls.length) yield* moveTo(index);
    if (op.kind === 'condition') continue;
    const depth = op.kind !== 'hook' ? depthOf(op.call) : op.call === undefined ? 0 : at(depths, op.call);
    yield { kind: 'op', index, depth: depth + 1, op };
    if (op.kind === 'parallel') groups.push(op);
  }
  yield* moveTo(ops.length);
}
