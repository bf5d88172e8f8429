import type { Input, WorkflowFile } from '../../frontend/ast.ts';
import { paramWord } from '../../base/param_word.ts';
import { ruleMessage } from '../../frontend/schema/rules.ts';
import { brokenRule, VariableName } from '../../frontend/schema/schema.ts';
import type { Variable } from '../../ir/plan.ts';
import { isSecretInput } from '../../ir/secret_names.ts';
import { createRedactor, HIDDEN } from './redact.ts';

/**
 * The name of a workflow, with aliases resolved, and the words after it. The workflow may not exist. `isDefault`: no word
 * names it.
 */
export type Chosen = Readonly<{ workflow: string; rest: readonly string[]; isDefault: boolean }>;

/** Parameters, and an error for each invalid word. Errors contain no values. */
export type Params = Readonly<{ params: readonly Variable[]; problems: readonly string[] }>;

/** Whether a word has the form KEY:VALUE or KEY=VALUE. */
export function isParam(word: string): boolean {
  return /[:=]/.test(word);
}

/** Whether a word may be part of a parameter split by blanks, and may be shown in a message. */
function isShown(word: string, redact: (word: string) => string): boolean {
  return word !== '' && !isParam(word) && redact(word) === `'${word}'`;
}

/** The number of a workflow before the name of its parameter, in a run of several. */
const NUMBER = /^[1-9][0-9]*\./;

/**
 * Parses `KEY:VALUE` and `KEY=VALUE` words. The first `:` or `=` separates key and value, and the last value of a key
 * wins. `line` is the whole command line, for `createRedactor`. `isNumbered`: keys may begin with the number of a workflow.
 */
export function readParams(words: readonly string[], line: readonly string[], isNumbered = false): Params {
  const redact = createRedactor(line);
  const params = new Map<string, string>();
  const problems: string[] = [];
  let isJoined = false;
  for (const [index, word] of words.entries()) {
    // The second half of a split parameter, which the previous error has already covered.
    if (isJoined) {
      isJoined = false;
      continue;
    }
    const split = word.search(/[:=]/);
    const key = word.slice(0, Math.max(0, split));
    const rule = brokenRule(VariableName, isNumbered ? key.replace(NUMBER, '') : key);
    if (split === -1) {
      const pair = [word, words[index + 1] ?? ''];
      isJoined = brokenRule(VariableName, word) === undefined && pair.every((each) => isShown(each, redact));
      const hint = isJoined ? `; did you mean '${pair.join(':')}'?` : '';
      problems.push(`parameter ${index + 1} (${redact(word)}) is not of the form KEY:VALUE${hint}`);
    } else if (rule === undefined) params.set(key, word.slice(split + 1));
    else {
      const quoted = redact(word) === HIDDEN ? HIDDEN : `'${key}'`;
      problems.push(`the key of parameter ${index + 1} (${quoted}) ${ruleMessage(rule, '')}`);
    }
  }
  return { params: [...params], problems };
}

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
    if (input !== undefined) return paramWord([input.name, word]);
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
