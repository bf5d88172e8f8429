import { graphOf } from '../ir/graph.ts';
import { print } from './document.ts';
import { dot } from './graph_dot.ts';
import { mermaid } from './graph_mermaid.ts';
import { EXIT, type Io, type Options } from './io.ts';
import { prepare } from './prepare.ts';

/** `workflow graph`: a picture of what a workflow does, as text that other programs draw. */
export async function graph(io: Io, options: Options): Promise<number> {
  const prepared = await prepare(io, options);
  if (prepared === undefined) return EXIT.cannotStart;
  const { plan, file } = prepared;
  const found = graphOf(plan, (workflow) => file.workflows.get(workflow)?.private === true);
  return print(io, options.values.get('format') === 'dot' ? dot(found) : mermaid(found), EXIT.ok);
}
