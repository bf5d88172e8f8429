import { partsOf, type Graph, type GraphNode, type GraphPart } from '../ir/views/graph.ts';
import { truncateLabel } from '../truncate.ts';

/** The brackets of each kind of node. */
const SHAPES = {
  step: ['["', '"]'],
  hook: ['{{"', '"}}'],
  join: ['(("', '"))'],
  start: ['(["', '"])'],
  end: ['(["', '"])'],
} as const;

/** A graph in the language of Mermaid, which GitHub and GitLab render. */
export function* mermaid(graph: Graph): Generator<string> {
  yield 'flowchart TD\n';
  for (const part of partsOf(graph)) yield `${part.indent}${partText(part)}\n`;
  for (const { from, to, label, dashed } of graph.edges) {
    const edge = label === '' ? '' : `|"${text(label)}"|`;
    yield `  ${from} ${dashed ? '-.->' : '-->'}${edge} ${to}\n`;
  }
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

/** A label whose characters with a meaning in Mermaid or HTML are entity codes. */
function text(label: string): string {
  return truncateLabel(label).replaceAll(/[^\p{L}\p{N} _.,:/=+-]/gu, (character) => `#${character.codePointAt(0)};`);
}
