import type { Input } from '../../frontend/ast.ts';
import { describeInputProblem, inputsOf, type InputProblem } from '../../ir/inputs.ts';
import { isSecret as isSecretName, isSecretInput, secretNames } from '../../ir/secret_names.ts';
import { at, type Plan, type Segment } from '../../ir/plan.ts';
import { inputLines } from '../../ir/views/describe_input.ts';
import { paramWord } from '../../base/param_word.ts';
import { shellWord } from '../../base/shell_word.ts';
import { PLUS } from './choose_workflow.ts';
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
  const all = plan.segments === undefined ? [plan.workflow, ...words] : severalWords(plan.segments, problems);
  const usage = `usage: ${suggestedCommand(file, 'run', ...all)}`;
  const inputs = inputsOf(plan, at(plan.calls, 0)) ?? problems.map(({ input }) => input);
  // If a workflow is called twice, each of its problems occurs twice.
  return [...new Set(errors), usage, ...inputLines(inputs, isSecret)];
}

/** The words for several workflows, each with a value for its inputs that lack one. */
function severalWords(segments: readonly Segment[], problems: readonly InputProblem[]): readonly string[] {
  return segments.flatMap(({ workflow, params }, index) => {
    const own = new Map(params.map(([name, value]) => [name, isSecretName(name) ? VALUE : value]));
    for (const { workflow: owner, input } of problems) if (owner === workflow) own.set(input.name, exampleOf(input));
    return [...(index === 0 ? [] : [PLUS]), workflow, ...[...own].map(paramWord)];
  });
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
