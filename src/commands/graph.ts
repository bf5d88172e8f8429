import { buildGraph } from '../ir/views/graph.ts';
import { print } from '../output/document.ts';
import { dot } from './dot.ts';
import { mermaid } from './mermaid.ts';
import type { Options } from '../command_line/parse.ts';
import { EXIT, type Io } from '../output/io.ts';
import { prepare } from '../driver/prepare.ts';

/** `workflow graph`: prints a workflow as a graph in the language of Mermaid or Graphviz. */
export async function graph(io: Io, options: Options): Promise<number> {
  const prepared = await prepare(io, options, 'graph');
  if (prepared === undefined) return EXIT.cannotStart;
  const { plan, file } = prepared;
  const found = buildGraph(plan, (workflow) => file.workflows.get(workflow)?.private === true);
  return print(io, options.values.get('format') === 'dot' ? dot(found) : mermaid(found), EXIT.ok);
}
