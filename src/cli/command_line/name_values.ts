import type { Input, WorkflowFile } from '../../frontend/ast.ts';
import { isSecretInput } from '../../ir/secrets.ts';
import type { Chosen } from './choose_workflow.ts';
import { readParams, type Params } from './params.ts';

/** Whether a word begins with the name of a variable and `:` or `=`. */
export function isNamed(word: string): boolean {
  return /^[A-Za-z_]\w*[:=]/.test(word);
}

/** The inputs that take values without a name: they are not secret, and no word sets them. */
export function freeInputs(words: readonly string[], inputs: readonly Input[]): readonly Input[] {
  const set = new Set(words.filter(isNamed).map((word) => word.replace(/[:=].*/s, '')));
  return inputs.filter((input) => !isSecretInput(input) && !set.has(input.name));
}

/**
 * Gives the values without a name to the free inputs, in order. The name of an input is no value. `left` contains the
 * words for which there is no input.
 */
export function nameValues(
  words: readonly string[],
  inputs: readonly Input[],
): Readonly<{ words: readonly string[]; left: readonly string[] }> {
  const free = freeInputs(words, inputs)[Symbol.iterator]();
  const names = new Set(inputs.map(({ name }) => name));
  const left: string[] = [];
  const named = words.flatMap((word) => {
    if (isNamed(word)) return word;
    const input = names.has(word) ? undefined : free.next().value;
    if (input !== undefined) return `${input.name}:${word}`;
    left.push(word);
    return [];
  });
  return { words: named, left };
}

/**
 * Reads the words after the name of a workflow. Without a name, the default workflow takes only parameters: any other
 * word may be a misspelt name. `line` is the whole command line.
 */
export function readValues(
  { workflow, rest, isDefault }: Chosen,
  file: WorkflowFile,
  line: readonly string[],
): Params & Readonly<{ left: readonly string[] }> {
  const inputs = isDefault ? [] : (file.workflows.get(workflow)?.inputs ?? []);
  const { words, left } = inputs.length === 0 ? { words: rest, left: [] } : nameValues(rest, inputs);
  return { ...readParams(words, line), left };
}
