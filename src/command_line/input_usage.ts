import quote from 'shell-quote/quote.js';
import { DEFAULT_FILE } from './default_file.ts';
import type { Input } from '../frontend/ast.ts';
import { describeInputProblem, inputsOf, type InputProblem } from '../ir/inputs.ts';
import { secretNames } from '../ir/mask.ts';
import { at, type Plan } from '../ir/plan.ts';
import { inputLines } from '../ir/views/describe_input.ts';

/** The word for a value in a usage line. */
const VALUE = 'VALUE';

/** The errors about inputs of a plan, the command line that has them all, and the inputs of the workflow. */
export function inputErrors(plan: Plan, problems: readonly InputProblem[], file: string): readonly string[] {
  const isSecret = secretNames(plan);
  const errors = problems.map((problem) => `workflow '${problem.workflow}': ${describeInputProblem(problem)}`);
  const params = new Map(plan.params.map(([name, value]) => [name, isSecret(name) ? VALUE : value]));
  for (const { input } of problems) params.set(input.name, exampleOf(input));
  const words = [...params].map(([name, value]) => `${name}:${value}`);
  const named = file === DEFAULT_FILE ? [] : ['--file', file];
  const usage = `usage: ${['cli', 'run', plan.workflow, ...words, ...named].map(shellWord).join(' ')}`;
  const inputs = inputsOf(plan, at(plan.calls, 0)) ?? problems.map(({ input }) => input);
  // A workflow that is called twice has each of its problems twice.
  return [...new Set(errors), usage, ...inputLines(inputs, isSecret)];
}

/** A word as a shell reads it. shell-quote would escape the colon of a parameter too. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quote([word]);
}

/** A value that an input takes, or a word for one. */
export function exampleOf({ type, options: [first = VALUE] }: Input): string {
  return type === 'boolean' ? 'true' : first;
}
