import { partsOf, type Graph, type GraphNode, type GraphPart } from '../ir/views/graph.ts';
import { truncateLabel } from '../truncate.ts';

/** How Mermaid writes the nodes of each kind. */
const SHAPES = {
  step: ['["', '"]'],
  hook: ['{{"', '"}}'],
  join: ['(("', '"))'],
  start: ['(["', '"])'],
  end: ['(["', '"])'],
} as const;

/** A graph in the language of Mermaid, which GitHub and GitLab draw. */
export function* mermaid(graph: Graph): Generator<string> {
  yield 'flowchart TD\n';
  for (const part of partsOf(graph)) yield `${part.indent}${partText(part)}\n`;
  for (const { from, to, label, dashed } of graph.edges) {
    const said = label === '' ? '' : `|"${text(label)}"|`;
    yield `  ${from} ${dashed ? '-.->' : '-->'}${said} ${to}\n`;
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

/** Whatever could mean something to Mermaid, or to the HTML that it makes, is written as its number. */
function text(label: string): string {
  return truncateLabel(label).replaceAll(/[^\p{L}\p{N} _.,:/=+-]/gu, (character) => `#${character.codePointAt(0)};`);
}
