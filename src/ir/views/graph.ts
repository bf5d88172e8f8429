import { firstLine } from '../../truncate.ts';
import { testText } from './preview.ts';
import { at, type Plan } from '../plan.ts';

/** A step or hook, where ways meet before a condition, or where the run starts or ends. */
export type GraphNode = Readonly<{ id: string; kind: 'step' | 'hook' | 'join' | 'start' | 'end'; label: string }>;

/** A way through the run; `label` says when it is taken, '' always. Dashed: whatever fails leads there. */
export type GraphEdge = Readonly<{ from: string; to: string; label: string; dashed: boolean }>;

/** One time that a workflow is gone through, with its steps and the calls inside, in order. */
export type GraphGroup = Readonly<{
  id: string;
  label: string;
  isPrivate: boolean;
  items: readonly (GraphNode | GraphGroup)[];
}>;

export type Graph = Readonly<{ root: GraphGroup; edges: readonly GraphEdge[] }>;

/** A way that still leads to whatever comes next. */
type DanglingEdge = Readonly<{ from: string; label: string }>;

/** What a plan does as nodes and edges: calls are groups, conditions stand at the edges. */
export function buildGraph(plan: Plan, isPrivate: (workflow: string) => boolean): Graph {
  const edges: GraphEdge[] = [];
  const groups = plan.calls.map(({ workflow, from }, index) => {
    const named = from === null || from.name === `step_${from.step}` || from.name === workflow;
    const label = named ? workflow : `${from.name}: ${workflow}`;
    return { id: `call${index}`, label, isPrivate: isPrivate(workflow), items: new Array<GraphNode | GraphGroup>() };
  });
  const root = at(groups, 0);
  /** The groups of calls join the items of the one that calls when their first op is reached. */
  let joined = 1;
  const join = (index: number): void => {
    for (let call = plan.calls[joined]; call !== undefined && call.start <= index; call = plan.calls[joined]) {
      at(groups, call.from?.call ?? 0).items.push(at(groups, joined));
      joined += 1;
    }
  };
  let loose: DanglingEdge[] = [{ from: 'begin', label: '' }];
  const skipped = new Map<number, DanglingEdge[]>();
  const land = (index: number): void => {
    loose = [...loose, ...(skipped.get(index) ?? [])];
    skipped.delete(index);
  };
  const reach = (to: string): void => {
    for (const { from, label } of loose) edges.push({ from, to, label, dashed: false });
    loose = [{ from: to, label: '' }];
  };

  root.items.push({ id: 'begin', kind: 'start', label: plan.workflow });
  let failure: GraphNode | undefined;
  let last: GraphNode | undefined;
  for (const [index, op] of plan.ops.entries()) {
    join(index);
    land(index);
    if (op.kind === 'condition') {
      // Each way on has one label, and there are no more edges than twice the conditions.
      if (loose.length > 1 || loose.some(({ label }) => label !== '')) {
        at(groups, op.call).items.push({ id: `op${index}`, kind: 'join', label: '' });
        reach(`op${index}`);
      }
      const from = loose.map((way) => way.from);
      loose = from.map((way) => ({ from: way, label: `if ${testText(op.test)}` }));
      const others = from.map((way) => ({ from: way, label: 'else' }));
      skipped.set(op.target, [...(skipped.get(op.target) ?? []), ...others]);
    } else if (op.kind === 'run') {
      at(groups, op.call).items.push({ id: `op${index}`, kind: 'step', label: op.name });
      reach(`op${index}`);
    } else {
      const node = { id: `op${index}`, kind: 'hook', label: `${op.hook}: ${firstLine(op.command)}` } as const;
      root.items.push(node);
      if (op.when === 'failure') failure = node;
      else reach(node.id);
      if (op.when === 'always') last = node;
    }
  }
  join(plan.ops.length);
  land(plan.ops.length);
  root.items.push({ id: 'finish', kind: 'end', label: 'end' });
  reach('finish');
  const afterFailure = [failure, last].filter((node) => node !== undefined);
  for (const [index, { id }] of afterFailure.entries()) {
    const from = afterFailure[index - 1];
    edges.push({ from: from?.id ?? 'begin', to: id, label: from === undefined ? 'on failure' : '', dashed: true });
  }
  return { root, edges };
}

/** What a graph is made of, in order: groups are opened and closed around what is in them. */
export type GraphPart = Readonly<
  { kind: 'open' | 'close'; group: GraphGroup; indent: string } | { kind: 'node'; node: GraphNode; indent: string }
>;

/** Deeper groups are not indented further: calls may be nested by the thousand. */
const DEEPEST = 12;
const indent = (depth: number): string => '  '.repeat(Math.min(depth, DEEPEST));

/** Goes through a graph without recursion. */
export function* partsOf({ root }: Graph): Generator<GraphPart> {
  const open = [{ group: root, done: 0 }];
  yield { kind: 'open', group: root, indent: indent(1) };
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const item = last.group.items[last.done];
    last.done += 1;
    if (item === undefined) {
      yield { kind: 'close', group: last.group, indent: indent(open.length) };
      open.pop();
    } else if ('items' in item) {
      open.push({ group: item, done: 0 });
      yield { kind: 'open', group: item, indent: indent(open.length) };
    } else {
      yield { kind: 'node', node: item, indent: indent(open.length + 1) };
    }
  }
}
