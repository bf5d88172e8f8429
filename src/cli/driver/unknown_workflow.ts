import type { WorkflowFile } from '../../frontend/ast.ts';
import { didYouMean } from '../../frontend/diagnostics/suggest.ts';
import { createRedactor, HIDDEN } from '../command_line/redact.ts';
import { workflowNames } from '../command_line/choose_workflow.ts';
import { suggestedCommand } from '../command_line/suggested_command.ts';

/** The error for an unknown workflow, and the command that lists the known ones. */
export function unknownWorkflow(name: string, file: WorkflowFile, path: string, line: readonly string[]): string[] {
  const quoted = createRedactor(line)(name);
  const suggestion = quoted === HIDDEN ? '' : didYouMean(name, workflowNames(file));
  const where = path === '-' ? '<stdin>' : path;
  return [
    `no workflow ${quoted} in ${where}${suggestion}`,
    `to list the workflows: ${suggestedCommand(path, 'list', '--all')}`,
  ];
}
