import { write } from '../backend/system/write.ts';
import type { Options } from '../command_line/parse.ts';
import { say, type Io } from '../output/io.ts';
import { workflowTable } from '../output/workflow_table.ts';
import { load, printDiagnostics } from './load.ts';

/** The error for a command line without the name of a workflow: lists the public workflows of the file. */
export async function unnamedWorkflow(io: Io, options: Options): Promise<undefined> {
  const loaded = await load(io, options);
  if (loaded?.file === undefined) return loaded && printDiagnostics(io, options, loaded);
  const entries = [...loaded.file.workflows]
    .filter(([, workflow]) => !workflow.private)
    .map(([name, { description, steps }]) => ({ name, description, private: false, step_count: steps.length }));
  say(io, [`the name of the workflow is missing; the workflows of ${loaded.source.path}:`], 'cli: ');
  write(io.stderr, workflowTable(io, io.stderr, entries));
  return undefined;
}
