import { DEFAULT_FILE } from '../command_line/default_file.ts';
import type { WorkflowName } from '../command_line/parse.ts';
import { exampleOf, shellWord } from '../command_line/input_usage.ts';
import { chooseWorkflow } from '../command_line/choose_workflow.ts';
import { findDirectory } from '../driver/find_directory.ts';
import { readRegular } from '../driver/read_file.ts';
import type { Input } from '../frontend/ast.ts';
import { readWorkflow } from '../driver/include/read_workflow.ts';
import { isSecret, isSecretInput } from '../ir/secrets.ts';
import { inputLines } from '../ir/views/describe_input.ts';
import { escapeForTerminal } from '../output/escape.ts';

/**
 * `workflow run NAME --help`: the usage, description and inputs of a workflow; empty if it cannot be read. Changes to the
 * directory of the file.
 */
export async function workflowHelp({ file, workflow: given }: WorkflowName): Promise<string> {
  const directory = file === DEFAULT_FILE ? findDirectory(process.cwd()) : undefined;
  if (directory !== undefined) process.chdir(directory);
  const read = readRegular(file);
  const parsed = read.ok ? await readWorkflow(read.value, file) : undefined;
  const chosen = parsed?.file && chooseWorkflow(parsed.file, [given], false);
  const name = chosen?.workflow ?? given;
  const workflow = parsed?.file?.workflows.get(name);
  if (workflow === undefined) return '';
  const { description, inputs } = workflow;
  const named = file === DEFAULT_FILE ? [] : ['--file', file];
  const words = (inputs ?? []).map(parameterText).map((word) => ` ${word}`);
  const lines = inputLines(inputs ?? [], isSecret).map(escapeForTerminal);
  const parts = [
    escapeForTerminal(`${['cli', 'run', name, ...named].map(shellWord).join(' ')}${words.join('')}`),
    ...(description === '' ? [] : [escapeForTerminal(description)]),
    ...(lines.length === 0 ? [] : [['Inputs:', ...lines].join('\n')]),
  ];
  return `${parts.join('\n\n')}\n\n`;
}

/** An input as a parameter. An optional input is in brackets. */
function parameterText(input: Input): string {
  const { name, type, default: preset } = input;
  const isHidden = isSecretInput(input) || type === 'boolean';
  const text = `${name}:${shellWord(isHidden ? exampleOf(input) : (preset ?? exampleOf(input)))}`;
  return input.required ? text : `[${text}]`;
}
