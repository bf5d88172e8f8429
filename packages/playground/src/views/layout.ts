import type { GraphData, GraphGroup, GraphNode } from '../../../../src/api.ts';

/** A box of the drawing. `depth` counts the groups around it. */
export type Box = Readonly<{ id: string; x: number; y: number; width: number; height: number }> &
  Readonly<{ node: GraphNode | null; label: string; depth: number }>;

/** A drawing: its size, its boxes, groups before their content, and the boxes by id. */
export type Drawing = Readonly<{
  width: number;
  height: number;
  boxes: readonly Box[];
  byId: ReadonlyMap<string, Box>;
}>;

const GAP = { x: 28, y: 34, group: 14, heading: 22 } as const;
const CHARACTER = 7.4;
const LONGEST = 42;

/** A label, shortened to the width of a box. */
export function shortLabel(label: string): string {
  return label.length > LONGEST ? `${label.slice(0, LONGEST - 1)}…` : label;
}

type Placed = Readonly<{ width: number; height: number; boxes: readonly Box[] }>;

/**
 * Places the nodes of a graph: each group is a box, in which every item is below its predecessors. Items without a
 * way between them, such as the members of a parallel group, are side by side.
 */
export function layOut({ root, edges }: GraphData): Drawing {
  const parents = new Map<string, string>();
  const remember = (group: GraphGroup): void => {
    for (const item of group.items) {
      parents.set(item.id, group.id);
      if ('items' in item) remember(item);
    }
  };
  remember(root);
  /** The item of a group that contains a node. */
  const itemIn = (group: string, id: string): string | undefined => {
    let at: string | undefined = id;
    while (at !== undefined && parents.get(at) !== group) at = parents.get(at);
    return at;
  };
  const place = (group: GraphGroup, depth: number): Placed => {
    const rows = rowsOf(group, edges, itemIn);
    const boxes: Box[] = [];
    let [y, width] = [depth === 0 ? 0 : GAP.heading, depth === 0 ? 0 : group.label.length * CHARACTER];
    for (const row of rows) {
      const parts = row.map((item) => ('items' in item ? place(item, depth + 1) : nodeBox(item, depth)));
      let x = 0;
      for (const part of parts) {
        boxes.push(...part.boxes.map((box) => ({ ...box, x: box.x + x + GAP.group, y: box.y + y + GAP.group })));
        x += part.width + GAP.x;
      }
      width = Math.max(width, x - GAP.x);
      y += Math.max(...parts.map(({ height }) => height)) + GAP.y;
    }
    const size = { width: width + 2 * GAP.group, height: Math.max(y - GAP.y, 0) + 2 * GAP.group };
    const own = { id: group.id, x: 0, y: 0, ...size, node: null, label: group.label, depth };
    return { ...size, boxes: [own, ...centred(boxes, rows, size.width)] };
  };
  const { width, height, boxes } = place(root, 0);
  return { width, height, boxes, byId: new Map(boxes.map((box) => [box.id, box])) };
}

function nodeBox(node: GraphNode, depth: number): Placed {
  const isPoint = node.kind === 'join';
  const size = isPoint
    ? { width: 10, height: 10 }
    : { width: shortLabel(node.label).length * CHARACTER + 28, height: 30 };
  return { ...size, boxes: [{ id: node.id, x: 0, y: 0, ...size, node, label: node.label, depth }] };
}

/** The boxes of a group with one item in a row in its middle. */
function centred(boxes: readonly Box[], rows: readonly (readonly (GraphNode | GraphGroup)[])[], width: number): Box[] {
  const shift = new Map<string, number>();
  for (const row of rows) {
    const own = boxes.filter(({ id }) => row.some((item) => item.id === id));
    const right = Math.max(...own.map((box) => box.x + box.width)) + GAP.group;
    const free = (width - right) / 2;
    const inside = (item: GraphNode | GraphGroup): void => {
      shift.set(item.id, free);
      if ('items' in item) item.items.forEach(inside);
    };
    row.forEach(inside);
  }
  return boxes.map((box) => ({ ...box, x: box.x + (shift.get(box.id) ?? 0) }));
}

/** The items of a group in rows, each below the last item with an edge to it. */
function rowsOf(
  group: GraphGroup,
  edges: GraphData['edges'],
  itemIn: (group: string, id: string) => string | undefined,
): readonly (readonly (GraphNode | GraphGroup)[])[] {
  const order = new Map(group.items.map(({ id }, index) => [id, index]));
  const rank = group.items.map(() => 0);
  const own = edges.flatMap(({ from, to }) => {
    const [start, end] = [itemIn(group.id, from), itemIn(group.id, to)];
    const [before, after] = [order.get(start ?? ''), order.get(end ?? '')];
    return before === undefined || after === undefined || before >= after ? [] : [[before, after] as const];
  });
  for (const [before, after] of own.toSorted(([one], [other]) => one - other)) {
    rank[after] = Math.max(rank[after] ?? 0, (rank[before] ?? 0) + 1);
  }
  const rows = new Map<number, (GraphNode | GraphGroup)[]>();
  for (const [index, item] of group.items.entries()) {
    const row = rows.get(rank[index] ?? 0) ?? [];
    row.push(item);
    rows.set(rank[index] ?? 0, row);
  }
  return [...rows].toSorted(([one], [other]) => one - other).map(([, row]) => row);
}
