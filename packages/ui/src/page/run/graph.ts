import { h, type ComponentChild } from 'preact';
import { SIGNS, truncateLine, type RunDocument } from '../../../../../src/internal.ts';
import { stateOf, type StepNode } from './step_tree.ts';

type Calls = RunDocument['calls'];

/**
 * The steps of a run as nested boxes with lines in their order: the members of a group side by side, all else from top to
 * bottom. What a condition asks stands before its step.
 */
export function Graph({ nodes, run }: Readonly<{ nodes: readonly StepNode[]; run: RunDocument }>): ComponentChild {
  return h('div', { class: 'graph', role: 'group', 'aria-label': 'Graph' }, boxes(nodes, run.calls));
}

function boxes(nodes: readonly StepNode[], calls: Calls): ComponentChild[] {
  const shown: ComponentChild[] = [];
  for (let index = 0; index < nodes.length;) {
    const group = groupOf(nodes[index], calls);
    const isMember = (node: StepNode | undefined): boolean => group !== undefined && groupOf(node, calls) === group;
    let end = index + 1;
    while (end < nodes.length && isMember(nodes[end])) end += 1;
    const members = nodes.slice(index, end).map((node) => box(node, calls));
    shown.push(group === undefined ? members : h('div', { key: `group ${index}`, class: 'group' }, members));
    index = end;
  }
  return shown;
}

/** The number of the group of which a step is a member: its own begins with that, as in `2.1`. */
function groupOf(node: StepNode | undefined, calls: Calls): string | undefined {
  const inner = node?.children[0]?.op?.call;
  const step = node?.op?.step ?? (typeof inner === 'number' ? calls[inner]?.step : undefined);
  return typeof step === 'string' ? /^(.+)\.\d+/.exec(step)?.[1] : undefined;
}

function box(node: StepNode, calls: Calls): ComponentChild {
  const { path, name, op, conditions, children } = node;
  const state = stateOf(node);
  const isHook = op?.kind === 'hook';
  const shape = `${children.length === 0 ? 'node' : 'box'}${isHook ? ' hook' : ''}`;
  return h(
    'div',
    { key: path, class: `${shape} ${state.replace(' ', '-')}`, 'data-node': path, 'data-state': state },
    conditions.map(({ command }) => h('p', { key: command, class: 'asks' }, `if ${truncateLine(command)}`)),
    `${SIGNS[state]} ${isHook ? `hook '${name}'` : name}`,
    children.length > 0 && h('div', { class: 'graph' }, boxes(children, calls)),
  );
}
