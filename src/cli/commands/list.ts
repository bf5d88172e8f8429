import { print, printDocument } from '../output/document.ts';
import { listEntry, workflowTable } from '../output/workflow_table.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { EXIT, type Io } from '../output/io.ts';
import type { WorkflowFile } from '../../frontend/ast.ts';
import { load } from '../driver/load.ts';
import { printMessage, printMessages } from '../output/messages/print_messages.ts';

/** `workflow list`: prints the workflows in file order. Works for files with invalid calls. */
export async function list(io: Io, options: Options): Promise<number> {
  const file = await loadList(io, options);
  if (file === undefined) return EXIT.cannotStart;
  const workflows = [...file.workflows].filter(([, each]) => options.all || !each.private);
  if (options.format === 'table') return print(io, workflowTable(io, io.stdout, workflows, file.default), EXIT.ok);
  return printDocument(io, workflows.map(listEntry), options, EXIT.ok);
}

/** A well-formed file, whose calls may be invalid; undefined after its errors. */
export async function loadList(io: Io, options: Options): Promise<WorkflowFile | undefined> {
  const loaded = await printMessages(io, options, load(io, options));
  if (loaded !== undefined && loaded.file === undefined)
    await printMessage(io, options, { ...loaded, kind: 'diagnostics' });
  return loaded?.file;
}
