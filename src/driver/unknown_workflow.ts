import { write } from '../backend/system/write.ts';
import type { WorkflowFile } from '../frontend/ast.ts';
import { printStderr, type Io } from '../output/io.ts';
import { workflowTable } from '../output/workflow_table.ts';
import quote from 'shell-quote/quote.js';
import { didYouMean } from '../frontend/diagnostics/suggest.ts';
import { createRedactor, HIDDEN } from '../command_line/redact.ts';
import { DEFAULT_FILE } from '../command_line/default_file.ts';

/** The error for an unknown workflow, and the command that lists the known ones. */
export function unknownWorkflow(
  name: string,
  { workflows }: WorkflowFile,
  path: string,
  line: readonly string[],
): string[] {
  const quoted = createRedactor(line)(name);
  const known = [...workflows.keys(), ...[...workflows.values()].flatMap(({ aliases }) => aliases)];
  const suggestion = quoted === HIDDEN ? '' : didYouMean(name, known);
  const list = ['cli', 'list', '--all', ...(path === DEFAULT_FILE ? [] : ['--file', path])];
  const where = path === '-' ? '<stdin>' : path;
  return [`no workflow ${quoted} in ${where}${suggestion}`, `to list the workflows: ${quote(list)}`];
}

/** The error for a command line without a workflow name. Lists the public workflows of the file. */
export function unnamedWorkflow(io: Io, { workflows: all, default: preset }: WorkflowFile, path: string): undefined {
  const workflows = [...all].filter(([, workflow]) => !workflow.private);
  printStderr(io, [`the name of the workflow is missing; the workflows of ${path}:`], 'cli: ');
  write(io.stderr, workflowTable(io, io.stderr, workflows, preset));
  return undefined;
}
