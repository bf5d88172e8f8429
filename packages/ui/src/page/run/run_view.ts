import { h, type ComponentChild } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { formatElapsed, type RunDocument, truncateLines } from '../../../../../src/internal.ts';
import { CancelDialog } from '../dialogs/cancel_dialog.ts';
import { StartDialog } from '../dialogs/start_dialog.ts';
import { age, moment } from '../text.ts';
import { About } from './about.ts';
import { Failure } from './failure.ts';
import { Graph } from './graph.ts';
import { Output } from './output.ts';
import { StepTable } from './step_table.ts';
import { shownOps, stepTree, type StepNode } from './step_tree.ts';

/** The number of ops that a run shows at first: the browser would be busy for seconds with more. */
const MANY = 1000;

const BUTTONS = { cancel: 'Cancel', resume: 'Resume…', again: 'Run again…' } as const;

type RunAction = RunDocument['actions'][number];

type Shown = Readonly<{ run: RunDocument; version: number }>;

/** A run: what failed, its steps, its graph and its times. `version` changes with each look at it. */
export function RunView({ run, version }: Shown): ComponentChild {
  const [asked, ask] = useState<RunAction | undefined>();
  const onClose = (): void => ask(undefined);
  const [count, setCount] = useState(MANY);
  const ops = shownOps(run.ops, count);
  const nodes = useMemo(() => stepTree({ ops }), [run, count]);
  const hidden = run.ops.length - ops.length;
  const { id, state, duration_ms: total, problem, question, actions, remote } = run;
  const hasEndedBadly = !['queued', 'running', 'waiting', 'succeeded', 'stopped'].includes(state);
  const isOver = !['queued', 'running', 'waiting'].includes(state);
  return h(
    'main',
    { 'data-run': id, 'data-state': state },
    h('nav', null, h('a', { href: '#/' }, 'All runs')),
    h('h1', null, run.workflow),
    h(
      'p',
      { class: `outcome ${hasEndedBadly ? 'failed' : state}` },
      isOver ? `${state} after ${formatElapsed(total)}` : state,
      isOver && run.end !== '' && h('small', { title: moment(run.end) }, ` ${age(run.end)}`),
    ),
    question !== undefined && h('p', { class: 'problem' }, `Question: ${question}`),
    problem !== null && h('p', { class: 'problem' }, problem),
    h(Failure, { run, version }),
    actions.length > 0 &&
      h(
        'div',
        { class: 'buttons' },
        actions.map((action) =>
          h('button', { key: action, type: 'button', onClick: () => ask(action) }, BUTTONS[action]),
        ),
      ),
    asked === 'cancel' && h(CancelDialog, { id, onClose }),
    asked !== undefined && asked !== 'cancel' && h(StartDialog, { key: asked, run, action: asked, onClose }),
    h('h2', { id: 'steps' }, 'Steps'),
    h(StepTable, { nodes, run, version }),
    hidden > 0 &&
      h(
        'p',
        null,
        `${hidden} more are not shown. `,
        h('button', { type: 'button', onClick: () => setCount(count + MANY) }, `Show ${Math.min(hidden, MANY)} more`),
      ),
    remote !== undefined && h('h2', null, 'Output'),
    remote !== undefined && h(Output, { run: id, path: id, log: 'log', isStored: true, version }),
    h('h2', null, 'Graph'),
    h(Graph, { nodes, run }),
    h(PlanText, { nodes, run }),
    h('h2', null, 'About this run'),
    h(About, { run }),
  );
}

/** The steps of a run as text, as in a dry run. */
function PlanText({ run, nodes }: Readonly<{ run: RunDocument; nodes: readonly StepNode[] }>): ComponentChild {
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
