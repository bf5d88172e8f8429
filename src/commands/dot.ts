import { partsOf, type Graph, type GraphNode, type GraphPart } from '../ir/views/graph.ts';
import { truncateLabel } from '../truncate.ts';

const SHAPES = { step: 'box', hook: 'hexagon', join: 'point', start: 'oval', end: 'oval' } as const;

/** A graph in DOT, the language of Graphviz. */
export function* dot(graph: Graph): Generator<string> {
  const fonts = ['graph', 'node', 'edge'].map((what) => `  ${what} [fontname="sans-serif"];\n`);
  yield `digraph workflow {\n${fonts.join('')}`;
  for (const part of partsOf(graph)) yield `${part.indent}${partText(part)}\n`;
  for (const { from, to, label, dashed } of graph.edges) {
    const attributes = [...(label === '' ? [] : [`label=${text(label)}`]), ...(dashed ? ['style=dashed'] : [])];
    yield `  ${from} -> ${to}${attributes.length === 0 ? '' : ` [${attributes.join(', ')}]`};\n`;
  }
  yield '}\n';
}

function partText(part: GraphPart): string {
  if (part.kind === 'node') return `${part.node.id} [${node(part.node)}];`;
  const { id, label, isPrivate } = part.group;
  return part.kind === 'close'
    ? '}'
    : `subgraph cluster_${id} { label=${text(isPrivate ? `${label} (private)` : label)};`;
}

function node({ kind, label }: GraphNode): string {
  return `label=${text(label)}, shape=${SHAPES[kind]}`;
}

/** A quoted string, in which only quotes and backslashes need an escape. */
function text(label: string): string {
  return `"${truncateLabel(label).replaceAll(/["\\]/g, (character) => `\\${character}`)}"`;
}
