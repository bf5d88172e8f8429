import { print, printDocument } from '../output/document.ts';
import { workflowTable } from '../output/workflow_table.ts';
import type { Options } from '../command_line/parse.ts';
import { EXIT, type Io } from '../output/io.ts';
import { load, printDiagnostics } from '../driver/load.ts';

/** `workflow list`: the workflows in file order. The calls between them need not be valid. */
export async function list(io: Io, options: Options): Promise<number> {
  const loaded = await load(io, options);
  if (loaded?.file === undefined) {
    if (loaded !== undefined) await printDiagnostics(io, options, loaded);
    return EXIT.cannotStart;
  }
  const entries = [...loaded.file.workflows]
    .filter(([, workflow]) => options.switches.has('all') || !workflow.private)
    .map(([name, { description, private: isPrivate, steps }]) => {
      return { name, description, private: isPrivate, step_count: steps.length };
    });
  if (options.values.get('format') === 'table') return print(io, workflowTable(io, io.stdout, entries), EXIT.ok);
  return printDocument(io, entries, options, EXIT.ok);
}
