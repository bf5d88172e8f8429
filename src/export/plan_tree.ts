import { isCheck } from '../ir/ops.ts';
import { at, type ConditionOp, type Op, type ParallelOp, type Plan, type RunOp } from '../ir/plan.ts';

/** A part of a workflow: an op, or a call with its items. A script runs what a check guards. */
export type Item =
  | Readonly<{ kind: 'step'; index: number; op: RunOp }>
  | Readonly<{ kind: 'condition'; index: number; op: ConditionOp; body: readonly Item[] }>
  | Readonly<{ kind: 'check'; index: number; body: readonly Item[] }>
  | Readonly<{ kind: 'call'; call: number; body: readonly Item[] }>
  | Readonly<{ kind: 'group'; op: ParallelOp; members: readonly GroupMember[] }>;

/** A member of a group. */
export type GroupMember = Readonly<{ name: string; body: readonly Item[] }>;

/** A range of a plan: the ops before `endOp` and the calls before `endCall` within the call `call`. */
type Range = Readonly<{ call: number; endOp: number; endCall: number }>;

/** The maximum depth of nested calls in a script. Each is a function call in bash. */
export const DEPTH_LIMIT = 250;

/** Whether the calls of a plan nest too deeply for a script. */
export function isTooDeep({ calls }: Plan): boolean {
  const depths: number[] = [];
  for (const { from } of calls) depths.push(from === null ? 0 : (depths[from.call] ?? 0) + 1);
  return depths.some((depth) => depth > DEPTH_LIMIT);
}

/** The calls, conditions and groups of a plan as a tree, without hooks. In the plan, they are ranges of ops. */
export function planTree(plan: Plan): readonly Item[] {
  let nextOp = 0;
  let nextCall = 1;

  function itemsIn(range: Range): Item[] {
    const items: Item[] = [];
    for (;;) {
      const call = startsHere(range);
      if (call !== undefined) items.push(call);
      else if (nextOp < range.endOp) items.push(...itemsAt(range));
      else return items;
    }
  }

  /** The unconditional call that begins at the current op. */
  function startsHere({ call, endCall }: Range): Item | undefined {
    if (nextCall >= endCall) return undefined;
    const { start, from, guard } = at(plan.calls, nextCall);
    return start === nextOp && from?.call === call && guard === null ? callItem() : undefined;
  }

  function callItem(): Item {
    const call = nextCall;
    nextCall += 1;
    const body = itemsIn({ call, endOp: at(plan.calls, call).end, endCall: plan.calls.length });
    return { kind: 'call', call, body };
  }

  function itemsAt(range: Range): Item[] {
    const index = nextOp;
    const op: Op = at(plan.ops, index);
    nextOp += 1;
    switch (op.kind) {
      case 'hook':
      case 'stop':
        return [];
      case 'run':
        return [{ kind: 'step', index, op }];
      case 'condition':
        // A script runs each step unless `--since` has left it out.
        if (isCheck(op)) {
          const body = guarded(index, op, range);
          const isLeftOut = op.test.kind === 'stale' && op.test.since?.reason === null;
          return isLeftOut || body.length === 0 ? [] : [{ kind: 'check', index, body }];
        }
        return [{ kind: 'condition', index, op, body: guarded(index, op, range) }];
      case 'parallel':
        return [{ kind: 'group', op, members: membersOf(op) }];
    }
  }

  /** The items that a condition guards: one call, command or group. */
  function guarded(index: number, { target }: ConditionOp, range: Range): readonly Item[] {
    if (plan.calls[nextCall]?.guard === index) return [callItem()];
    return target > nextOp ? itemsAt(range) : [];
  }

  function membersOf({ branches, call, end }: ParallelOp): readonly GroupMember[] {
    const members = branches.map(({ name, end: { op: endOp, call: endCall } }) => {
      return { name, body: itemsIn({ call, endOp, endCall }) };
    });
    nextOp = end.op;
    nextCall = end.call;
    return members;
  }

  return itemsIn({ call: 0, endOp: plan.ops.length, endCall: plan.calls.length });
}
