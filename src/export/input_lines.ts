import type { Input } from '../frontend/ast.ts';
import type { Frame } from '../ir/plan.ts';
import { quote } from './bash_words.ts';

/**
 * Lines that declare and check the inputs of a workflow, for its function. If a value is invalid, the steps of the
 * workflow fail, or the call itself if the workflow has no steps.
 */
export function inputCheckLines(frames: readonly Frame[], isEmpty: boolean): readonly string[] {
  const inputs = frames.flatMap(({ inputs: declared = [] }) => declared);
  if (inputs.length === 0) return [];
  return [
    ...declarations(inputs),
    ...inputs
      .filter(isChecked)
      .map((input) => `wf_input ${checkWords(input).join(' ')}${isEmpty ? ' || wf_fail_call' : ''}`),
  ];
}

/** The lines that put inputs in scope. */
export function declarations(inputs: readonly Input[]): readonly string[] {
  const types = inputs.map(({ name, type }) => `${name}:${type}`);
  const defaults = inputs.flatMap(({ name, default: value }) => (value === null ? [] : [quote(`${name}=${value}`)]));
  return [
    `local -a wf_inputs=("\${wf_inputs[@]}" ${types.join(' ')})`,
    ...(defaults.length === 0 ? [] : [`local -a wf_defaults=("\${wf_defaults[@]}" ${defaults.join(' ')})`]),
  ];
}

/** Whether an input can have an invalid value. */
export function isChecked({ required, type }: Input): boolean {
  return required || type !== 'string';
}

/** The arguments of an input's check: its name, its requirements, and the values of a choice. */
export function checkWords({ name, required, type, options }: Input): readonly string[] {
  return [
    name,
    ...(required ? ['required'] : []),
    ...(type === 'string' ? [] : [type]),
    ...options.map((option) => quote(`option=${option}`)),
  ];
}
