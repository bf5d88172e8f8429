import { h, type ComponentChild } from 'preact';
import type { ListedInput } from '../../../../src/api.ts';

type SetParam = (name: string, value: string) => void;
type FormProps = Readonly<{ inputs: readonly ListedInput[]; params: Readonly<Record<string, string>>; set: SetParam }>;

/** Fields for the inputs of a workflow. An empty field sets nothing. */
export function ParamsForm({ inputs, params, set }: FormProps): ComponentChild {
  if (inputs.length === 0) return null;
  return h(
    'div',
    { class: 'params' },
    inputs.map((input) => h(Field, { key: input.name, input, value: params[input.name] ?? '', set })),
  );
}

function Field({ input, value, set }: Readonly<{ input: ListedInput; value: string; set: SetParam }>): ComponentChild {
  const { name, description, required, type, options = [], default: preset } = input;
  const change = (event: { readonly currentTarget: { readonly value: string } }): void =>
    set(name, event.currentTarget.value);
  const choices = type === 'boolean' ? ['true', 'false'] : options;
  const note = [...(required === true ? ['required'] : []), ...(description === undefined ? [] : [description])];
  const shared = { 'aria-label': name, value };
  return h(
    'label',
    { class: 'field' },
    h('span', { class: 'name' }, name),
    choices.length > 0
      ? h(
          'select',
          { ...shared, onChange: change },
          h('option', { value: '' }, preset === undefined ? '' : `default: ${preset}`),
          choices.map((each) => h('option', { key: each, value: each }, each)),
        )
      : h('input', { ...shared, type: 'text', placeholder: preset ?? '', onInput: change }),
    note.length > 0 && h('small', null, note.join(': ')),
  );
}
