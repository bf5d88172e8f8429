import type { Input } from '../../frontend/ast.ts';
import { describeInputProblem, inputsOf, type InputProblem } from '../../ir/inputs.ts';
import { isSecretInput, secretNames } from '../../ir/secrets.ts';
import { at, type Plan } from '../../ir/plan.ts';
import { inputLines } from '../../ir/views/describe_input.ts';
import { paramWord } from '../../base/param_word.ts';
import { shellWord } from '../../base/shell_word.ts';
import { suggestedCommand } from './suggested_command.ts';

/** The placeholder for a value in a usage line. */
const VALUE = 'VALUE';

/** The errors about the inputs of a plan, a command line with all required inputs, and the workflow's inputs. */
export function inputErrors(plan: Plan, problems: readonly InputProblem[], file: string): readonly string[] {
  const isSecret = secretNames(plan);
  const errors = problems.map((problem) => `workflow '${problem.workflow}': ${describeInputProblem(problem)}`);
  const params = new Map(plan.params.map(([name, value]) => [name, isSecret(name) ? VALUE : value]));
  for (const { input } of problems) params.set(input.name, exampleOf(input));
  const words = [...params].map(paramWord);
  const usage = `usage: ${suggestedCommand(file, 'run', plan.workflow, ...words)}`;
  const inputs = inputsOf(plan, at(plan.calls, 0)) ?? problems.map(({ input }) => input);
  // If a workflow is called twice, each of its problems occurs twice.
  return [...new Set(errors), usage, ...inputLines(inputs, isSecret)];
}

/** The command line of a workflow with all its inputs. `file` is the path of its file. */
export function usageOf(workflow: string, inputs: readonly Input[], file: string): string {
  return [suggestedCommand(file, 'run', workflow), ...inputs.map(parameterText)].join(' ');
}

/** An input as a parameter. An optional input is in brackets. */
function parameterText(input: Input): string {
  const { name, type, default: preset } = input;
  const isHidden = isSecretInput(input) || type === 'boolean';
  const text = `${name}:${shellWord(isHidden ? exampleOf(input) : (preset ?? exampleOf(input)))}`;
  return input.required ? text : `[${text}]`;
}

/** A valid value of an input, or a placeholder. */
function exampleOf(input: Input): string {
  const {
    type,
    options: [first = VALUE],
  } = input;
  if (type === 'boolean') return 'true';
  return isSecretInput(input) ? VALUE : first;
}
