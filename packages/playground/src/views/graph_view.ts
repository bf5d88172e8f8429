import { h, type ComponentChild } from 'preact';
import type { GraphData, Preview } from '../../../../src/api.ts';
import { layOut, shortLabel, type Box } from './layout.ts';
import { Text } from './text.ts';

/** The maximum number of edges in a drawing. */
const LIMIT = 3000;

/** A plan, drawn from top to bottom, with the path of the simulated run in colour. */
export function GraphView({ preview: { graph, messages } }: Readonly<{ preview: Preview }>): ComponentChild {
  if (graph === null) return h(Text, { label: 'Messages', text: messages, kind: 'bad' });
  if (graph.edges.length > LIMIT) {
    return h('p', null, `The graph has ${graph.edges.length} edges, which are too many to draw. cli graph prints it.`);
  }
  return [
    h('p', { class: 'faint' }, 'The coloured path is the run as assumed in “What if”. Dashed lines follow a failure.'),
    h('div', { class: 'drawing', tabIndex: 0, role: 'group', 'aria-label': 'Graph' }, h(Drawing, { graph })),
  ];
}

function Drawing({ graph }: Readonly<{ graph: GraphData }>): ComponentChild {
  const { width, height, boxes, byId } = layOut(graph);
  const sides = 60;
  const nodes = boxes.filter(({ node }) => node !== null);
  const size = { width: width + sides, height, viewBox: `0 0 ${width + sides} ${height}` };
  return h(
    'svg',
    { ...size, role: 'img', 'aria-label': descriptionOf(graph) },
    boxes.map((box) => h(Shape, { key: `box ${box.id}`, box, state: graph.reached[box.id] })),
    graph.edges.map((edge, index) => {
      const [from, to] = [byId.get(edge.from), byId.get(edge.to)];
      return from !== undefined && to !== undefined && h(Line, { key: index, from, to, edge, nodes });
    }),
  );
}

/** The steps of a graph in order, for readers that do not see it. */
function descriptionOf({ root, reached }: GraphData): string {
  const labels: string[] = [];
  const visit = (items: GraphData['root']['items']): void => {
    for (const item of items) {
      if ('items' in item) visit(item.items);
      else if (item.kind === 'step' || item.kind === 'hook') {
        labels.push(`${item.label} (${reached[item.id] ?? 'not reached'})`);
      }
    }
  };
  visit(root.items);
  return `Graph: ${labels.slice(0, 100).join(', ')}`;
}

function Shape({ box, state }: Readonly<{ box: Box; state: string | undefined }>): ComponentChild {
  const { id, x, y, width, height, node, label, depth } = box;
  if (node === null) {
    if (depth === 0) return null;
    return h(
      'g',
      { 'data-group': id },
      h('rect', { class: `group depth${depth % 2}`, x, y, width, height, rx: 10 }),
      h('text', { class: 'heading', x: x + 12, y: y + 18 }, shortLabel(label)),
    );
  }
  if (node.kind === 'join') {
    return h('circle', { class: `join ${state ?? ''}`, cx: x + width / 2, cy: y + height / 2, r: 4 });
  }
  return h(
    'g',
    { class: `node ${node.kind} ${state ?? 'unreached'}`, 'data-node': id, 'data-state': state ?? 'unreached' },
    h('title', null, label),
    h('rect', { x, y, width, height, rx: node.kind === 'step' ? 7 : 15 }),
    h('text', { x: x + width / 2, y: y + height / 2 + 4.5, 'text-anchor': 'middle' }, shortLabel(label)),
  );
}

/** The distance at which a line would touch a node. */
const NEAR = 4;

/** Whether a node is in the way of a line from one box down to another. */
function isBetween(nodes: readonly Box[], from: Box, to: Box): boolean {
  const [top, bottom] = [from.y + from.height, to.y];
  const centres = [from.x + from.width / 2, to.x + to.width / 2];
  const [left, right] = [Math.min(...centres), Math.max(...centres)];
  return nodes.some(({ x, y, width }) => y >= top && y < bottom && x < right + NEAR && x + width > left - NEAR);
}

type LineProps = Readonly<{ from: Box; to: Box; edge: GraphData['edges'][number]; nodes: readonly Box[] }>;

function Line({ from, to, edge, nodes }: LineProps): ComponentChild {
  const [x1, y1] = [from.x + from.width / 2, from.y + from.height];
  const [x2, y2] = [to.x + to.width / 2, to.y];
  const isFar = y2 < y1 || isBetween(nodes, from, to);
  const side = Math.max(from.x + from.width, to.x + to.width) + Math.min(40, 12 + (y2 - y1) / 24);
  const middle = (y1 + y2) / 2;
  const bend = y2 < y1 ? 40 : Math.min(40, (y2 - y1) / 2);
  const d = isFar
    ? `M${x1} ${y1}C${x1} ${y1 + 22} ${side} ${y1 + 12} ${side} ${y1 + bend}L${side} ${y2 - bend}C${side} ${y2 - 12} ${x2} ${y2 - 22} ${x2} ${y2}`
    : `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`;
  const kinds = ['edge', edge.taken ? 'taken' : '', edge.dashed ? 'dashed' : ''].join(' ');
  const [labelX, labelY] = isFar ? [side - 4, middle] : [(x1 + x2) / 2 + 6, middle + 4];
  return h(
    'g',
    { class: kinds },
    h('path', { d }),
    h('path', { class: 'tip', d: `M${x2 - 4} ${y2 - 7}L${x2} ${y2}L${x2 + 4} ${y2 - 7}` }),
    edge.label !== '' &&
      h('text', { x: labelX, y: labelY, 'text-anchor': isFar ? 'end' : 'start' }, shortLabel(edge.label)),
  );
}
