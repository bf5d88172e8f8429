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

/** A plan as nodes and edges: calls are groups, conditions are labels of edges. */
export function buildGraph(plan: Plan, isPrivate: (workflow: string) => boolean): Graph {
  return new GraphBuilder(plan, isPrivate).build();
}

/** An edge whose target is not known yet. */
type DanglingEdge = Pick<GraphEdge, 'from' | 'label' | 'test'>;

type MutableGroup = GraphGroup & Readonly<{ items: (GraphNode | GraphGroup)[] }>;

class GraphBuilder {
  readonly #plan: Plan;
  /** The groups by the index of their call. */
  readonly #groups: readonly MutableGroup[];
  readonly #edges: GraphEdge[] = [];
  /** The edges to the next node. */
  #dangling: DanglingEdge[] = [{ from: 'begin', label: '', test: null }];
  /** The edges of conditions that do not hold, by the index of their target. */
  #skipping = new Map<number, DanglingEdge[]>();
  /** The parallel groups that are open. */
  readonly #open: { readonly call: number; readonly group: MutableGroup }[] = [];
  /** The hooks of a failed run by their call, in order; null for those of the file. */
  readonly #afterFailure = new Map<number | null, GraphNode[]>();
  #nextCall = 1;

  constructor(plan: Plan, isPrivate: (workflow: string) => boolean) {
    this.#plan = plan;
    this.#groups = plan.calls.map((call, index) => {
      const { workflow, lock } = call;
      const name = ownName(call) ?? workflow;
      const label = name === workflow ? `${workflow}${suffixOf(call)}` : `${name}: ${workflow}`;
      const held = lock === undefined ? label : `${label} (${describeLock(lock)})`;
      return { id: `call${index}`, label: held, isPrivate: isPrivate(workflow), items: [] };
    });
  }

  build(): Graph {
    const { ops, workflow } = this.#plan;
    const root = at(this.#groups, 0);
    root.items.push({ id: 'begin', kind: 'start', label: workflow });
    this.#addRange(0, ops.length);
    this.#arrive(ops.length);
    root.items.push({ id: 'finish', kind: 'end', label: 'end' });
    this.#connect('finish');
    this.#connectFailure();
    return { root, edges: this.#edges };
  }

  #addRange(start: number, end: number): void {
    for (let index = start; index < end;) {
      this.#arrive(index);
      const op = at(this.#plan.ops, index);
      const id = `op${index}`;
      index += 1;
      if (isCheck(op)) continue;
      if (op.kind === 'condition') this.#addCondition(op, id);
      else if (op.kind === 'run') this.#addStep(op, id);
      else if (op.kind === 'hook') this.#addHook(op, id);
      else if (op.kind === 'parallel') {
        this.#addParallel(op, id);
        index = op.end.op;
      }
    }
  }

  /** Adds a group with its branches, each from the same edges. What follows comes after all of them. */
  #addParallel(op: ParallelOp, id: string): void {
    this.#join(op.call, id);
    const label = isUnnamed(op) ? 'parallel' : op.name;
    const group: MutableGroup = { id: `group_${id}`, label, isPrivate: false, items: [] };
    this.#containerOf(op.call).push(group);
    const sources = this.#dangling;
    const ended: DanglingEdge[] = [];
    this.#open.push({ call: op.call, group });
    for (const { start, end } of op.branches) {
      const outer = this.#skipping;
      this.#skipping = new Map();
      this.#dangling = sources;
      this.#addRange(start.op, end.op);
      this.#arrive(end.op, end.call);
      ended.push(...this.#dangling);
      this.#skipping = outer;
    }
    this.#open.pop();
    if (op.branches.length > 0) this.#dangling = [...new Set(ended)];
  }

  /** The items of the innermost open group of a call, or of the call itself. */
  #containerOf(call: number): (GraphNode | GraphGroup)[] {
    return (this.#open.findLast((each) => each.call === call)?.group ?? at(this.#groups, call)).items;
  }

  /** Opens the groups that begin at an op, and joins the edges of the conditions that skip to it. */
  #arrive(index: number, end = this.#plan.calls.length): void {
    const { calls } = this.#plan;
    for (let call = calls[this.#nextCall]; call !== undefined && call.start <= index; call = calls[this.#nextCall]) {
      if (this.#nextCall >= end) break;
      this.#containerOf(call.from?.call ?? 0).push(at(this.#groups, this.#nextCall));
      this.#nextCall += 1;
    }
    this.#dangling = [...this.#dangling, ...(this.#skipping.get(index) ?? [])];
    this.#skipping.delete(index);
  }

  #addStep(op: RunOp, id: string): void {
    const scope = isInBackground(op) ? ` (${describeScope(this.#plan, op)})` : '';
    this.#containerOf(op.call).push({ id, kind: 'step', label: `${op.name}${scope}` });
    this.#connect(id);
  }

  #addCondition({ call, test, target }: ConditionOp, id: string): void {
    this.#join(call, id);
    const sources = this.#dangling.map(({ from }) => from);
    const skipping = sources.map((from) => ({ from, label: 'else', test: { condition: id, holds: false } }));
    this.#skipping.set(target, [...(this.#skipping.get(target) ?? []), ...skipping]);
    const label = `if ${conditionParts(test).text}`;
    this.#dangling = sources.map((from) => ({ from, label, test: { condition: id, holds: true } }));
  }

  #addHook({ hook, when, command, call }: HookOp, id: string): void {
    const node = { id, kind: 'hook', label: `${hook}: ${firstLine(command)}` } as const;
    at(this.#groups, call ?? 0).items.push(node);
    if (when === 'failure' || when === 'always') {
      const key = call ?? null;
      this.#afterFailure.set(key, [...(this.#afterFailure.get(key) ?? []), node]);
    }
    if (when !== 'failure') this.#connect(id);
  }

  /**
   * Joins the dangling edges at a node if they are several, or have a label. An edge has one label. The join bounds the
   * number of edges by twice the number of conditions.
   */
  #join(call: number, id: string): void {
    if (this.#dangling.length <= 1 && this.#dangling.every(({ label }) => label === '')) return;
    this.#containerOf(call).push({ id, kind: 'join', label: '' });
    this.#connect(id);
  }

  /** Ends the dangling edges at a node, and begins the next one there. */
  #connect(to: string): void {
    for (const edge of this.#dangling) this.#edges.push({ ...edge, to, dashed: false });
    this.#dangling = [{ from: to, label: '', test: null }];
  }

  /** Connects the hooks of a failed workflow, and the last of them to those of the workflow around it, or of the file. */
  #connectFailure(): void {
    const ofFile = this.#afterFailure.get(null) ?? [];
    /** The first hook that follows the failure of each call. */
    const firsts: (GraphNode | undefined)[] = [];
    for (const [index, { from }] of this.#plan.calls.entries()) {
      const around = from === null ? ofFile[0] : firsts[from.call];
      const own = this.#afterFailure.get(index) ?? [];
      firsts.push(own[0] ?? around);
      if (own.length > 0) this.#connectHooks(own, firstNode(at(this.#groups, index)), around);
    }
    this.#connectHooks(ofFile, 'begin');
  }

  #connectHooks(hooks: readonly GraphNode[], start: string, next?: GraphNode): void {
    const all = next === undefined ? hooks : [...hooks, next];
    for (const [index, { id }] of all.entries()) {
      const before = all[index - 1];
      // The only node of an empty workflow is its hook.
      if (before === undefined && start === id) continue;
      const label = before === undefined ? 'on failure' : '';
      this.#edges.push({ from: before?.id ?? start, to: id, label, test: null, dashed: true });
    }
  }
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
