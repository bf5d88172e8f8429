import type { WorkflowFile } from '../../frontend/ast.ts';
import type { Options } from '../command_line/parse.ts';
import type { Io } from '../output/io.ts';
import { printMessage, printMessages } from '../output/messages/print_messages.ts';
import { load } from '../driver/load.ts';

/** A well-formed file, whose calls may be invalid; undefined after its errors. */
export async function loadList(io: Io, options: Options): Promise<WorkflowFile | undefined> {
  const loaded = await printMessages(io, options, load(io, options));
  if (loaded !== undefined && loaded.file === undefined)
    await printMessage(io, options, { ...loaded, kind: 'diagnostics' });
  return loaded?.file;
}
