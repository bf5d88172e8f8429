import { h, type ComponentChild } from 'preact';
import { truncateLines, type RunDocument } from '../../../../../src/internal.ts';
import type { StepNode } from './step_tree.ts';

/** The steps of a run as text, as in a dry run. */
export function PlanText({ run, nodes }: Readonly<{ run: RunDocument; nodes: readonly StepNode[] }>): ComponentChild {
  const text = [`workflow ${run.workflow}`, ...nodes.flatMap(linesOf)].join('\n');
  return h(
    'details',
    { class: 'plan' },
    h('summary', null, 'Plan as text'),
    h('pre', { tabIndex: 0, role: 'group', 'aria-label': 'Plan' }, text),
  );
}

function linesOf({ name, depth, op, conditions, children }: StepNode): readonly string[] {
  const start = '  '.repeat(depth + 1);
  const asked = conditions.map(({ command }) => `  (if ${truncateLines(command)})`).join('');
  if (op?.kind === 'hook') return [`${start}[${name}]  ${truncateLines(op.command)}`];
  if (op !== undefined && children.length === 0) return [`${start}- ${name}${asked}  ${truncateLines(op.command)}`];
  return [`${start}> ${name}${asked}`, ...children.flatMap(linesOf)];
}
