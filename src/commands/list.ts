import { print, printDocument } from '../output/document.ts';
import { listEntry, workflowTable } from '../output/workflow_table.ts';
import type { Options } from '../command_line/parse.ts';
import { EXIT, type Io } from '../output/io.ts';
import { printMessage, printMessages } from '../output/messages/print_messages.ts';
import { load } from '../driver/load.ts';

/** `workflow list`: prints the workflows in file order. Works for files with invalid calls. */
export async function list(io: Io, options: Options): Promise<number> {
  const loaded = await printMessages(io, options, load(io, options));
  if (loaded?.file === undefined) {
    if (loaded !== undefined) await printMessage(io, options, { ...loaded, kind: 'diagnostics' });
    return EXIT.cannotStart;
  }
  const workflows = [...loaded.file.workflows].filter(([, each]) => options.switches.has('all') || !each.private);
  if (options.values.get('format') === 'table')
    return print(io, workflowTable(io, io.stdout, workflows, loaded.file.default), EXIT.ok);
  return printDocument(io, workflows.map(listEntry), options, EXIT.ok);
}
