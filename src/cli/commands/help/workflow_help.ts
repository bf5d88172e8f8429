import type { WorkflowName } from '../../command_line/parse_command_line.ts';
import { usageOf } from '../../command_line/input_usage.ts';
import { workflowNamed } from '../../command_line/choose_workflow.ts';
import { readFoundFile } from '../../driver/read_found_file.ts';
import { isSecret } from '../../../ir/secret_names.ts';
import { inputLines } from '../../../ir/views/describe_input.ts';
import { escapeForTerminal } from '../../output/escape.ts';

/**
 * `workflow run NAME --help`: the usage, description and inputs of a workflow; empty if it cannot be read. Changes to the
 * directory of the file.
 */
export async function workflowHelp({ file, workflow: given }: WorkflowName): Promise<string> {
  const found = (await readFoundFile(file))?.file;
  const name = (found && workflowNamed(found, given)) ?? given;
  const workflow = found?.workflows.get(name);
  if (workflow === undefined) return '';
  const { description, inputs } = workflow;
  const lines = inputLines(inputs ?? [], isSecret).map(escapeForTerminal);
  const parts = [
    escapeForTerminal(usageOf(name, inputs ?? [], file)),
    ...(description === '' ? [] : [escapeForTerminal(description)]),
    ...(lines.length === 0 ? [] : [['Inputs:', ...lines].join('\n')]),
  ];
  return `${parts.join('\n\n')}\n\n`;
}
