import { h, type ComponentChild } from 'preact';
import type { AssumableStep, Preview } from '../../../../src/api.ts';
import { Text } from './text.ts';

/** Assumptions by their subject: a step, or `if:` and a step. */
export type Assumed = ReadonlyMap<string, string>;

/** The assumptions as for `--assume`. */
export function assumptionsOf(assumed: Assumed): readonly string[] {
  return [...assumed].map(([subject, value]) => `${subject}=${value}`);
}

type Assumptions = Readonly<{ assumed: Assumed; assume: (subject: string, value: string | undefined) => void }>;

/** Switches for the ends of steps and for conditions, and the run that they lead to. */
export function WhatIf({ preview, assumed, assume }: Readonly<{ preview: Preview }> & Assumptions): ComponentChild {
  const { messages, steps, simulation, exitCode } = preview;
  return [
    h(
      'fieldset',
      { class: 'switches' },
      h('legend', null, 'Assume that'),
      steps.length === 0 && 'there are no steps',
      steps.map((step) => h(Switches, { key: step.name, step, assumed, assume })),
    ),
    assumed.size > 0 && h('button', { type: 'button', onClick: () => assume('', undefined) }, 'Without assumptions'),
    h('p', { class: `verdict ${exitCode === 0 ? 'good' : 'bad'}`, role: 'status' }, `exit code ${exitCode}`),
    h(Text, { label: 'Messages', text: messages, kind: simulation === null ? 'bad' : 'warn' }),
    h(Text, { label: 'Simulated run', text: simulation?.text ?? '' }),
  ];
}

function Switches({ step, assumed, assume }: Readonly<{ step: AssumableStep }> & Assumptions): ComponentChild {
  const { name, condition } = step;
  const subject = `if:${name}`;
  const holds = assumed.has(subject) ? assumed.get(subject) === 'true' : condition?.holds !== false;
  const fails = assumed.get(name) === 'fail';
  return h(
    'div',
    { class: 'row' },
    h(Switch, { label: `${name} fails`, isOn: fails, toggle: () => assume(name, fails ? undefined : 'fail') }),
    condition !== null &&
      h(Switch, {
        label: `${name} holds`,
        note: condition.text,
        isOn: holds,
        toggle: () => assume(subject, String(!holds)),
      }),
  );
}

type SwitchProps = Readonly<{ label: string; note?: string; isOn: boolean; toggle: () => void }>;

function Switch({ label, note = '', isOn, toggle }: SwitchProps): ComponentChild {
  const box = h('input', { type: 'checkbox', role: 'switch', checked: isOn, onChange: toggle, 'aria-label': label });
  return h('label', { class: 'switch' }, box, ` ${label}`, note !== '' && h('code', null, note));
}
