import { partsOf, type Graph, type GraphNode, type GraphPart, type GraphPath } from '../../../ir/views/graph.ts';
import { truncateLabel } from '../../../base/truncate.ts';

/** The brackets of each kind of node. */
const SHAPES = {
  step: ['["', '"]'],
  hook: ['{{"', '"}}'],
  join: ['(("', '"))'],
  start: ['(["', '"])'],
  end: ['(["', '"])'],
} as const;

/** Styles of nodes on and off a path. */
const CLASSES = {
  ran: 'fill:#dafbe1,stroke:#1a7f37,stroke-width:3px,color:#1f2328',
  failed: 'fill:#ffebe9,stroke:#cf222e,stroke-width:3px,color:#1f2328',
  beside: 'opacity:0.4',
} as const;

const PATH_EDGE = 'stroke:#1a7f37,stroke-width:3px';

/** A graph in the language of Mermaid, which GitHub and GitLab render. Nodes on the path are coloured. */
export function* mermaid(graph: Graph, path?: GraphPath): Generator<string> {
  yield 'flowchart TD\n';
  for (const part of partsOf(graph)) yield `${part.indent}${partText(part)}\n`;
  for (const { from, to, label, dashed } of graph.edges) {
    const edge = label === '' ? '' : `|"${text(label)}"|`;
    yield `  ${from} ${dashed ? '-.->' : '-->'}${edge} ${to}\n`;
  }
  if (path !== undefined) yield* coloured(graph, path);
}

function* coloured(graph: Graph, { nodes, edges }: GraphPath): Generator<string> {
  const byClass = new Map<keyof typeof CLASSES, string[]>([
    ['ran', []],
    ['failed', []],
    ['beside', []],
  ]);
  for (const part of partsOf(graph)) {
    if (part.kind === 'node') byClass.get(nodes.get(part.node.id) ?? 'beside')?.push(part.node.id);
  }
  for (const [name, ids] of byClass) {
    if (ids.length > 0) yield `  classDef ${name} ${CLASSES[name]}\n  class ${ids.join(',')} ${name}\n`;
  }
  const taken = graph.edges.flatMap((edge, index) => (edges.has(edge) ? index : []));
  if (taken.length > 0) yield `  linkStyle ${taken.join(',')} ${PATH_EDGE}\n`;
}

function partText(part: GraphPart): string {
  if (part.kind === 'node') return part.node.id + node(part.node);
  const { id, label, isPrivate } = part.group;
  return part.kind === 'close' ? 'end' : `subgraph ${id}["${text(label)}${isPrivate ? ' (private)' : ''}"]`;
}

function node({ kind, label }: GraphNode): string {
  const [open, close] = SHAPES[kind];
  return open + text(label) + close;
}

/** A label. Characters with a meaning in Mermaid or HTML become entity codes. */
function text(label: string): string {
  return truncateLabel(label).replaceAll(/[^\p{L}\p{N} _.,:/=+-]/gu, (character) => `#${character.codePointAt(0)};`);
}
