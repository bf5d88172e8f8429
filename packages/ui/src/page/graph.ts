import { h, type ComponentChild } from 'preact';
import { stateOf, type StepNode } from './step_tree.ts';
import { signOf } from './text.ts';

/** The steps of a run as nested boxes. */
export function Graph({ nodes }: Readonly<{ nodes: readonly StepNode[] }>): ComponentChild {
  return h('div', { class: 'graph', role: 'group', 'aria-label': 'Graph' }, nodes.map(box));
}

function box(node: StepNode): ComponentChild {
  const { path, name, children } = node;
  const state = stateOf(node);
  const shape = children.length === 0 ? 'node' : 'box';
  return h(
    'div',
    { key: path, class: `${shape} ${state.replace(' ', '-')}`, 'data-node': path, 'data-state': state },
    `${signOf(state)} ${name}`,
    children.length > 0 && h('div', { class: 'graph' }, children.map(box)),
  );
}
