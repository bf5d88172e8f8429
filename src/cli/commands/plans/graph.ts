import { buildGraph, type GraphPath } from '../../../ir/views/graph.ts';
import { print } from '../../output/document.ts';
import { dot } from './dot.ts';
import { mermaid } from './mermaid.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { EXIT, type Io } from '../../output/io.ts';
import { printMessages } from '../../output/messages/print_messages.ts';
import { prepare } from '../../driver/prepare_run.ts';

/**
 * `workflow graph`: prints a workflow as a graph in the language of Mermaid or Graphviz. With assumptions, marks the
 * path of a simulated run.
 */
export async function graph(io: Io, options: Options): Promise<number> {
  const assumes = options.assume.length > 0;
  // Only a run that can start has a path.
  const prepared = await printMessages(
    io,
    options,
    prepare(io, options, assumes && options.words.length > 0 ? 'run' : 'graph'),
  );
  if (prepared === undefined) return EXIT.cannotStart;
  const { plan, file } = prepared;
  const found = buildGraph(plan, (workflow) => file.workflows.get(workflow)?.private === true);
  let path: GraphPath | undefined;
  if (assumes) {
    path = await (await import('./graph_path.ts')).simulatedPath(io, plan, found, options);
    if (path === undefined) return EXIT.cannotStart;
  }
  return print(io, options.format === 'dot' ? dot(found, path) : mermaid(found, path), EXIT.ok);
}
