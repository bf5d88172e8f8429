import { findVariables } from '../references/find_variables.ts';
import { findInValue, findReferences, type StepReference } from '../references/step_references.ts';

/** A name in a text. `step` is the name of the step of an output. */
export type NameInText = Readonly<
  | { kind: 'step' | 'variable'; name: string; start: number; end: number }
  | { kind: 'output'; name: string; step: string; start: number; end: number }
>;

/** The text before the name in a reference. */
const [STEPS, VARS] = ['${steps.', '${vars.'];

/** The names that a command or a condition uses. */
export function namesInCommand(command: string): readonly NameInText[] {
  const references = findReferences(command).references.flatMap(namesOfReference);
  const variables = command.includes('$') ? findVariables(command) : [];
  return [
    ...references,
    ...variables.flatMap(({ name, end }): NameInText[] =>
      end === undefined ? [] : [{ kind: 'variable', name, start: end - name.length, end }],
    ),
  ];
}

/** The names that a value refers to: variables and, if it may, outputs. */
export function namesInValue(value: string, allowsOutputs: boolean): readonly NameInText[] {
  const { references, variables } = findInValue(value);
  const names = variables.map(({ name, start }): NameInText => {
    return { kind: 'variable', name, start: start + VARS.length, end: start + VARS.length + name.length };
  });
  return allowsOutputs ? [...references.flatMap(namesOfReference), ...names] : names;
}

function namesOfReference({ step, key, start }: StepReference): readonly NameInText[] {
  const from = start + STEPS.length;
  const end = from + step.length;
  return [
    { kind: 'step', name: step, start: from, end },
    { kind: 'output', name: key, step, start: end + 1, end: end + 1 + key.length },
  ];
}

/** The words of a text that could be the name of a variable. */
export function* wordsIn(text: string): Generator<Readonly<{ name: string; start: number; end: number }>> {
  for (const { 0: name, index: start } of text.matchAll(/(?<!\w)[A-Za-z_]\w*/g))
    yield { name, start, end: start + name.length };
}
