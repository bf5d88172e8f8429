import { isUnnamed } from '../../base/generated_name.ts';
import { firstLine } from '../../base/truncate.ts';
import { indent } from '../steps/outline_entries.ts';
import { ownName, suffixOf } from '../steps/step_paths.ts';
import { describeScope, isInBackground, describeLock, isCheck, conditionParts } from '../ops.ts';
import { at, type ConditionOp, type HookOp, type ParallelOp, type Plan, type RunOp } from '../plan.ts';

/** A step, a hook, the point where edges join before a condition, or the start or end of the run. */
export type GraphNode = Readonly<{ id: string; kind: 'step' | 'hook' | 'join' | 'start' | 'end'; label: string }>;

/**
 * `label` is the condition under which the edge is taken, '' for none, and `test` that condition and its answer. Dashed
 * edges are taken after a failure.
 */
export type GraphEdge = Readonly<{ from: string; to: string; label: string; test: EdgeTest | null; dashed: boolean }>;

/** The id of a condition's op, and the answer with which an edge is taken. */
type EdgeTest = Readonly<{ condition: string; holds: boolean }>;

/** The nodes that a run reaches, and the edges between them. */
export type GraphPath = Readonly<{ nodes: ReadonlyMap<string, 'ran' | 'failed'>; edges: ReadonlySet<GraphEdge> }>;

/** One pass through a workflow: its steps and calls, in order. */
export type GraphGroup = Readonly<{
  id: string;
  label: string;
  isPrivate: boolean;
  items: readonly (GraphNode | GraphGroup)[];
}>;

export type Graph = Readonly<{ root: GraphGroup; edges: readonly GraphEdge[] }>;

/** An edge whose target is not known yet. */
type DanglingEdge = Pick<GraphEdge, 'from' | 'label' | 'test'>;

type MutableGroup = GraphGroup & Readonly<{ items: (GraphNode | GraphGroup)[] }>;

/** A plan as nodes and edges: calls are groups, conditions are labels of edges. */
export function buildGraph(plan: Plan, isPrivate: (workflow: string) => boolean): Graph {
  const edges: GraphEdge[] = [];
  /** The edges to the next node. */
  let dangling: DanglingEdge[] = [{ from: 'begin', label: '', test: null }];
  /** The edges of conditions that do not hold, by the index of their target. */
  let skipping = new Map<number, DanglingEdge[]>();
  /** The parallel groups that are open. */
  const open: { readonly call: number; readonly group: MutableGroup }[] = [];
  /** The hooks of a failed run by their call, in order; null for those of the file. */
  const afterFailure = new Map<number | null, GraphNode[]>();
  let nextCall = 1;

  /** The groups by the index of their call. */
  const groups: readonly MutableGroup[] = plan.calls.map((call, index) => {
    const { workflow, lock } = call;
    const name = ownName(call) ?? workflow;
    const label = name === workflow ? `${workflow}${suffixOf(call)}` : `${name}: ${workflow}`;
    const held = lock === undefined ? label : `${label} (${describeLock(lock)})`;
    return { id: `call${index}`, label: held, isPrivate: isPrivate(workflow), items: [] };
  });

  function addRange(start: number, end: number): void {
    for (let index = start; index < end;) {
      arrive(index);
      const op = at(plan.ops, index);
      const id = `op${index}`;
      index += 1;
      if (isCheck(op)) continue;
      if (op.kind === 'condition') addCondition(op, id);
      else if (op.kind === 'run') addStep(op, id);
      else if (op.kind === 'hook') addHook(op, id);
      else if (op.kind === 'parallel') {
        addParallel(op, id);
        index = op.end.op;
      }
    }
  }

  /** Adds a group with its branches, each from the same edges. What follows comes after all of them. */
  function addParallel(op: ParallelOp, id: string): void {
    join(op.call, id);
    const label = isUnnamed(op) ? 'parallel' : op.name;
    const group: MutableGroup = { id: `group_${id}`, label, isPrivate: false, items: [] };
    containerOf(op.call).push(group);
    const sources = dangling;
    const ended: DanglingEdge[] = [];
    open.push({ call: op.call, group });
    for (const { start, end } of op.branches) {
      const outer = skipping;
      skipping = new Map();
      dangling = sources;
      addRange(start.op, end.op);
      arrive(end.op, end.call);
      ended.push(...dangling);
      skipping = outer;
    }
    open.pop();
    if (op.branches.length > 0) dangling = [...new Set(ended)];
  }

  /** The items of the innermost open group of a call, or of the call itself. */
  function containerOf(call: number): (GraphNode | GraphGroup)[] {
    return (open.findLast((each) => each.call === call)?.group ?? at(groups, call)).items;
  }

  /** Opens the groups that begin at an op, and joins the edges of the conditions that skip to it. */
  function arrive(index: number, end = plan.calls.length): void {
    const { calls } = plan;
    for (let call = calls[nextCall]; call !== undefined && call.start <= index; call = calls[nextCall]) {
      if (nextCall >= end) break;
      containerOf(call.from?.call ?? 0).push(at(groups, nextCall));
      nextCall += 1;
    }
    dangling = [...dangling, ...(skipping.get(index) ?? [])];
    skipping.delete(index);
  }

  function addStep(op: RunOp, id: string): void {
    const scope = isInBackground(op) ? ` (${describeScope(plan, op)})` : '';
    containerOf(op.call).push({ id, kind: 'step', label: `${op.name}${scope}` });
    connect(id);
  }

  function addCondition({ call, test, target }: ConditionOp, id: string): void {
    join(call, id);
    const sources = dangling.map(({ from }) => from);
    const skipped = sources.map((from) => ({ from, label: 'else', test: { condition: id, holds: false } }));
    skipping.set(target, [...(skipping.get(target) ?? []), ...skipped]);
    const label = `if ${conditionParts(test).text}`;
    dangling = sources.map((from) => ({ from, label, test: { condition: id, holds: true } }));
  }

  function addHook({ hook, when, command, call }: HookOp, id: string): void {
    const node = { id, kind: 'hook', label: `${hook}: ${firstLine(command)}` } as const;
    at(groups, call ?? 0).items.push(node);
    if (when === 'failure' || when === 'always') {
      const key = call ?? null;
      afterFailure.set(key, [...(afterFailure.get(key) ?? []), node]);
    }
    if (when !== 'failure') connect(id);
  }

  /**
   * Joins the dangling edges at a node if they are several, or have a label. An edge has one label. The join bounds the
   * number of edges by twice the number of conditions.
   */
  function join(call: number, id: string): void {
    if (dangling.length <= 1 && dangling.every(({ label }) => label === '')) return;
    containerOf(call).push({ id, kind: 'join', label: '' });
    connect(id);
  }

  /** Ends the dangling edges at a node, and begins the next one there. */
  function connect(to: string): void {
    for (const edge of dangling) edges.push({ ...edge, to, dashed: false });
    dangling = [{ from: to, label: '', test: null }];
  }

  /** Connects the hooks of a failed workflow, and the last of them to those of the workflow around it, or of the file. */
  function connectFailure(): void {
    const ofFile = afterFailure.get(null) ?? [];
    /** The first hook that follows the failure of each call. */
    const firsts: (GraphNode | undefined)[] = [];
    for (const [index, { from }] of plan.calls.entries()) {
      const around = from === null ? ofFile[0] : firsts[from.call];
      const own = afterFailure.get(index) ?? [];
      firsts.push(own[0] ?? around);
      if (own.length > 0) connectHooks(own, firstNode(at(groups, index)), around);
    }
    connectHooks(ofFile, 'begin');
  }

  function connectHooks(hooks: readonly GraphNode[], start: string, next?: GraphNode): void {
    const all = next === undefined ? hooks : [...hooks, next];
    for (const [index, { id }] of all.entries()) {
      const before = all[index - 1];
      // The only node of an empty workflow is its hook.
      if (before === undefined && start === id) continue;
      const label = before === undefined ? 'on failure' : '';
      edges.push({ from: before?.id ?? start, to: id, label, test: null, dashed: true });
    }
  }

  const root = at(groups, 0);
  root.items.push({ id: 'begin', kind: 'start', label: plan.workflow });
  addRange(0, plan.ops.length);
  arrive(plan.ops.length);
  root.items.push({ id: 'finish', kind: 'end', label: 'end' });
  connect('finish');
  connectFailure();
  return { root, edges };
}

/** The id of the first node of a group with nodes. */
function firstNode({ items }: GraphGroup): string {
  for (let [item] = items; item !== undefined; [item] = item.items) if (!('items' in item)) return item.id;
  return '';
}

/** The start or end of a group, or a node, in the order of the text forms. */
export type GraphPart = Readonly<
  { kind: 'open' | 'close'; group: GraphGroup; indent: string } | { kind: 'node'; node: GraphNode; indent: string }
>;

/** The parts of a graph in order, with groups opened and closed around their items. Does not recurse. */
export function* partsOf({ root }: Graph): Generator<GraphPart> {
  const stack = [{ group: root, next: 0 }];
  yield { kind: 'open', group: root, indent: indent(1) };
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const item = top.group.items[top.next];
    top.next += 1;
    if (item === undefined) {
      yield { kind: 'close', group: top.group, indent: indent(stack.length) };
      stack.pop();
    } else if ('items' in item) {
      stack.push({ group: item, next: 0 });
      yield { kind: 'open', group: item, indent: indent(stack.length) };
    } else {
      yield { kind: 'node', node: item, indent: indent(stack.length + 1) };
    }
  }
}
