import { h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { ExplainedStep } from '../../../../src/api.ts';
import type { Explained } from '../engine/answers.ts';
import { Text } from './text.ts';

/** The steps with their variables. A click on a variable shows its source, and the values that it overrides. */
export function ExplainView({ explained }: Readonly<{ explained: Explained }>): ComponentChild {
  const [chosen, choose] = useState('');
  const { messages, steps } = explained;
  return [
    h(Text, { label: 'Messages', text: messages, kind: 'bad' }),
    steps.length === 0 && messages === '' && h('p', null, 'The workflow has no steps.'),
    steps.length > 0 &&
      h('p', { class: 'faint' }, 'Each name is a variable of the step: click it for its value and its source.'),
    steps.map((step, index) => h(Step, { key: index, step, id: String(index), chosen, choose })),
  ];
}

type StepProps = Readonly<{ step: ExplainedStep; id: string; chosen: string; choose: (key: string) => void }>;

function Step({ step, id, chosen, choose }: StepProps): ComponentChild {
  const { path, name, command, variables } = step;
  const title = [...path, name].join(' > ');
  const found = variables.find((each) => `${id} ${each.name}` === chosen);
  return h(
    'div',
    { class: 'card' },
    h('h2', null, title, h('small', null, ` step ${step.step} of ${step.workflow}`)),
    h('pre', { class: 'command', tabIndex: 0 }, command),
    variables.length === 0 && h('p', { class: 'faint' }, 'no variables'),
    h(
      'div',
      { class: 'chips' },
      variables.map((each) => {
        const key = `${id} ${each.name}`;
        const isOpen = key === chosen;
        return h(
          'button',
          { key, type: 'button', class: 'chip', 'aria-expanded': isOpen, onClick: () => choose(isOpen ? '' : key) },
          each.name,
        );
      }),
    ),
    found !== undefined &&
      h(
        'ol',
        { class: 'sources', 'aria-label': `Sources of ${found.name}` },
        [found, ...found.over].map(({ value, source }, index) =>
          h(
            'li',
            { key: index, class: index === 0 ? 'won' : 'lost' },
            h('code', null, `${found.name}=${value}`),
            h('span', null, ` ${index === 0 ? 'from' : 'not from'} ${source}`),
          ),
        ),
      ),
  );
}
