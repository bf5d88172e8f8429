import { joinedName, workflowNamed } from '../../command_line/choose_workflow.ts';
import { type Chosen, nameValues, isParam, readParams } from '../../command_line/params.ts';
import { usageOf } from '../../command_line/input_usage.ts';
import { createHiding, createRedactor } from '../../command_line/redact.ts';
import { repeatWords, suggestedCommand } from '../../command_line/suggested_command.ts';
import type { Input, WorkflowFile } from '../../../frontend/ast.ts';
import { shellWord } from '../../../base/shell_word.ts';
import { compile } from '../../../ir/compile.ts';
import { usesArguments } from '../../../ir/ops.ts';

/** The operands of a run that could not be read. `line` contains all words of the command line. */
type Operands = Readonly<{ file: WorkflowFile; path: string; line: readonly string[] }> & Chosen;

/**
 * The errors about words after the name of a workflow that are no parameters, and what to type instead. None for an
 * unknown workflow, which is reported first, unless its name is among the words.
 */
export function operandErrors(operands: Operands): readonly string[] {
  const { file, path, line, workflow, rest, isDefault } = operands;
  if (!file.workflows.has(workflow)) {
    const named = rest.find((word) => workflowNamed(file, word) !== undefined);
    if (!isParam(workflow) || named === undefined) return [];
    const others = [named, workflow, ...rest.filter((word) => word !== named)];
    return [
      `the name of the workflow comes first: ${suggestedCommand(path, 'run')} ${repeatWords(others, line, named)}`,
    ];
  }
  const inputs = file.workflows.get(workflow)?.inputs ?? [];
  const { left } = nameValues(rest, isDefault ? [] : inputs);
  const names = left.flatMap((word) => nameError(word, operands, inputs));
  const unused = left.filter((word) => inputs.every(({ name }) => name !== word));
  const redact = createRedactor(line);
  const errors =
    inputs.length === 0 || isDefault
      ? readParams(rest, line).problems
      : [...names, ...unused.map((word) => `no input of workflow '${workflow}' is left for ${redact(word)}`)];
  if (unused.length === 0) return errors;
  const isCommand = mentionsArguments(file, workflow);
  const others = unused.flatMap((word) => workflowNamed(file, word) ?? []);
  const args = isCommand ? ` -- ${repeatWords(unused, line)}` : '';
  const usage = `usage: ${usageOf(workflow, inputs, path)}${args}`;
  if (others.length === 0) return [...errors, usage, ...(isDefault ? valueOfDefault(file, path, rest, line) : [])];
  const own = repeatWords(
    rest.filter((word) => !others.includes(word)),
    line,
  );
  const all = [`${shellWord(workflow)} ${own}`.trimEnd(), ...others.map(shellWord)];
  const command = `${suggestedCommand(path, 'run')} ${joinedName(all)}`;
  return [...errors, usage, `to run ${all.length === 2 ? 'both' : 'all'}: ${command}`];
}

/** The error about a word that is the name of an input, with the word after it as the value, if it may be shown. */
function nameError(word: string, { rest, line }: Operands, inputs: readonly Input[]): string[] {
  if (inputs.every(({ name }) => name !== word)) return [];
  const isHidden = createHiding(line);
  const next = rest[rest.indexOf(word) + 1];
  const value = next === undefined || isHidden(word) || isHidden(next) || /[:=]/.test(next) ? 'VALUE' : next;
  return [`'${word}' is the name of an input; did you mean '${word}:${value}'?`];
}

/** The command that gives words without the name of a workflow to the default workflow, if its inputs can take them. */
export function valueOfDefault(
  { default: preset, workflows }: WorkflowFile,
  path: string,
  words: readonly string[],
  line: readonly string[],
): readonly string[] {
  const inputs = preset === undefined ? undefined : workflows.get(preset)?.inputs;
  if (preset === undefined || !inputs) return [];
  const { words: named, left } = nameValues(words, inputs);
  const isTaken = (word: string): boolean => inputs.some(({ name }) => name === word.replace(/[:=][^]*/, ''));
  if (left.length > 0 || !named.every(isTaken)) return [];
  const command = `${suggestedCommand(path, 'run', preset)} ${repeatWords(words, line)}`;
  return [`to give the value to the default workflow: ${command}`];
}

/** Whether a command of a workflow, or of one that it calls, uses the arguments after `--`. */
function mentionsArguments(file: WorkflowFile, workflow: string): boolean {
  const compiled = compile(file, workflow, [], null);
  return compiled.kind === 'plan' && compiled.plan.ops.some(usesArguments);
}
