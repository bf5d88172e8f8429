import { partsOf, type Graph, type GraphNode, type GraphPart, type GraphPath } from '../../../ir/views/graph.ts';
import { truncateLabel } from '../../../base/truncate.ts';

const SHAPES = { step: 'box', hook: 'hexagon', join: 'point', start: 'oval', end: 'oval' } as const;

/** Styles of nodes on and off a path. */
const STYLES = {
  ran: ['color="#1a7f37"', 'penwidth=3', 'style=filled', 'fillcolor="#dafbe1"'],
  failed: ['color="#cf222e"', 'penwidth=3', 'style=filled', 'fillcolor="#ffebe9"'],
  beside: ['color="#8c959f"', 'fontcolor="#8c959f"'],
} as const;

const PATH_EDGE = ['color="#1a7f37"', 'penwidth=3'];

/** A graph in DOT, the language of Graphviz. Nodes on the path are coloured. */
export function* dot(graph: Graph, path?: GraphPath): Generator<string> {
  const fonts = ['graph', 'node', 'edge'].map((what) => `  ${what} [fontname="sans-serif"];\n`);
  yield `digraph workflow {\n${fonts.join('')}`;
  for (const part of partsOf(graph)) yield `${part.indent}${partText(part, path)}\n`;
  for (const edge of graph.edges) {
    const { from, to, label, dashed } = edge;
    const colours = path === undefined ? [] : path.edges.has(edge) ? PATH_EDGE : STYLES.beside;
    const labels = [...(label === '' ? [] : [`label=${text(label)}`]), ...(dashed ? ['style=dashed'] : [])];
    const attributes = [...labels, ...colours];
    yield `  ${from} -> ${to}${attributes.length === 0 ? '' : ` [${attributes.join(', ')}]`};\n`;
  }
  yield '}\n';
}

function partText(part: GraphPart, path?: GraphPath): string {
  if (part.kind === 'node') return `${part.node.id} [${node(part.node, path)}];`;
  const { id, label, isPrivate } = part.group;
  return part.kind === 'close'
    ? '}'
    : `subgraph cluster_${id} { label=${text(isPrivate ? `${label} (private)` : label)};`;
}

function node({ id, kind, label }: GraphNode, path?: GraphPath): string {
  const style = path === undefined ? [] : STYLES[path.nodes.get(id) ?? 'beside'];
  return [`label=${text(label)}`, `shape=${SHAPES[kind]}`, ...style].join(', ');
}

/** A quoted string. Graphviz decodes character references; that of a bracket hides a log command of a CI service. */
function text(label: string): string {
  const shown = truncateLabel(label).replaceAll(/["\\]/g, (character) => `\\${character}`);
  return `"${shown.replaceAll('##[', '##&#91;')}"`;
}
