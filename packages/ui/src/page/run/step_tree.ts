import type { RunDocument, RecordedOp } from '../../../../../src/internal.ts';

/** A step, hook or call of a run, with what is inside it. `op` is its last attempt; a call has none. */
export type StepNode = Readonly<{ path: string; name: string; depth: number; children: readonly StepNode[] }> &
  Readonly<{ op: RecordedOp | undefined; conditions: readonly RecordedOp[] }>;

type Draft = {
  path: string;
  name: string;
  depth: number;
  children: Draft[];
  op: RecordedOp | undefined;
  conditions: RecordedOp[];
};

/** The maximum number of calls around a step that are shown. A record of other origin may have any number. */
const MAX_DEPTH = 50;

/** The number of ops after the first ones that are shown because they run or have failed. */
const MAX_MARKED = 100;

const MARKED: ReadonlySet<RecordedOp['status']> = new Set(['running', 'starting', 'ready', 'failed', 'not started']);

/** The first ops of a run, and some of the others that run or have failed. */
export function shownOps(ops: readonly RecordedOp[], count: number): readonly RecordedOp[] {
  const marked = ops.slice(count).filter(({ status }) => MARKED.has(status));
  return [...ops.slice(0, count), ...marked.slice(0, MAX_MARKED)];
}

/** The steps of a run in the order of its document, inside the calls that their paths name. */
export function stepTree({ ops }: Pick<RunDocument, 'ops'>): readonly StepNode[] {
  const roots: Draft[] = [];
  const drafts = new Map<string, Draft>();
  const draftOf = (path: string): Draft => {
    const known = drafts.get(path);
    if (known !== undefined) return known;
    const end = path.lastIndexOf('/');
    const above = end <= 0 ? [] : path.slice(0, end).split('/', MAX_DEPTH);
    const outer = above.length === 0 ? undefined : draftOf(above.join('/'));
    const name = path.slice(end + 1);
    const draft = {
      path,
      name,
      depth: outer === undefined ? 0 : outer.depth + 1,
      children: [],
      op: undefined,
      conditions: [],
    };
    (outer?.children ?? roots).push(draft);
    drafts.set(path, draft);
    return draft;
  };
  for (const op of ops) {
    const draft = draftOf(op.path);
    if (op.kind === 'condition') draft.conditions.push(op);
    else draft.op = op;
  }
  return roots;
}

/** All nodes, each before what is inside it. */
export function allNodes(nodes: readonly StepNode[]): readonly StepNode[] {
  return nodes.flatMap((node) => [node, ...allNodes(node.children)]);
}

/** The state of a node: that of its command, of its unmet condition, or of the worst inside it. */
export function stateOf({ op, conditions, children }: StepNode): RecordedOp['status'] {
  if (op !== undefined) return op.status;
  const states = children.map(stateOf);
  for (const state of ['running', 'starting', 'failed', 'not started', 'declined', 'ready'] as const)
    if (states.includes(state)) return state;
  const unmet = conditions.find(({ status }) => status !== 'met' && status !== 'kept')?.status;
  return unmet === undefined ? (states.at(-1) ?? 'not reached') : unmet === 'not met' ? 'skipped' : unmet;
}
