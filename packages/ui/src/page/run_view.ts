import { Fragment, h, type ComponentChild } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import {
  formatElapsed,
  isBad,
  isOpen,
  share,
  SIGNS,
  type RunDocument,
  type RecordedOp,
} from '../../../../src/internal.ts';
import { CancelDialog } from './cancel_dialog.ts';
import { CommandLine } from './command_line.ts';
import { Graph } from './graph.ts';
import { Output } from './output.ts';
import { StartDialog } from './start_dialog.ts';
import { allNodes, shownOps, stateOf, stepTree, type StepNode } from './step_tree.ts';
import { moment, paramTexts } from './text.ts';

/** The maximum indentation. */
const MAX_DEPTH = 4;

/** The number of ops that a run shows at first: the browser would be busy for seconds with more. */
const MANY = 1000;

const BUTTONS = { cancel: 'Cancel', resume: 'Resume…', again: 'Run again…' } as const;

type RunAction = RunDocument['actions'][number];

type Shown = Readonly<{ run: RunDocument; version: number }>;

/** A run: its parameters, steps and graph. `version` changes with each look at it. */
export function RunView({ run, version }: Shown): ComponentChild {
  const [asked, ask] = useState<RunAction | undefined>();
  const onClose = (): void => ask(undefined);
  const [count, setCount] = useState(MANY);
  const ops = shownOps(run.ops, count);
  const nodes = useMemo(() => stepTree({ ops }), [run, count]);
  const hidden = run.ops.length - ops.length;
  const { id, state, params, duration_ms: total, problem, actions, remote } = run;
  const hasEndedBadly = !['queued', 'running', 'waiting', 'succeeded', 'stopped'].includes(state);
  const isOver = !['queued', 'running', 'waiting'].includes(state);
  const facts = [
    ['Run', id],
    ['Started', moment(run.start)],
    ['Worker', remote?.worker ?? ''],
    ['Tag', remote?.tag ?? ''],
    ['Lock', remote?.lock ?? (run.waits_for === undefined ? '' : `waits for '${run.waits_for.lock}'`)],
    ['Taken over', remote === undefined || remote.takeovers === 0 ? '' : `${remote.takeovers}×`],
    ['Parameters', paramTexts(params)],
    ['Sessions', run.sessions.length > 1 ? run.sessions.map(({ text }) => text) : ''],
    ['Question', run.question ?? ''],
    ['Problem', problem ?? ''],
    ['Note', run.isPlanned ? '' : (run.note ?? '')],
  ] as const;
  return h(
    'main',
    { 'data-run': id, 'data-state': state },
    h('nav', null, h('a', { href: '#/' }, 'All runs')),
    h('h1', null, run.workflow),
    h(
      'p',
      { class: `outcome ${hasEndedBadly ? 'failed' : state}` },
      isOver ? `${state} after ${formatElapsed(total)}` : state,
    ),
    actions.length > 0 &&
      h(
        'div',
        { class: 'buttons' },
        actions.map((action) =>
          h('button', { key: action, type: 'button', onClick: () => ask(action) }, BUTTONS[action]),
        ),
      ),
    typeof remote?.resume === 'string' && h(CommandLine, { title: 'To resume it:', command: remote.resume }),
    asked === 'cancel' && h(CancelDialog, { id, onClose }),
    asked !== undefined && asked !== 'cancel' && h(StartDialog, { key: asked, run, action: asked, onClose }),
    h(
      'dl',
      null,
      facts.map(([name, text]) => {
        const values = typeof text === 'string' ? (text === '' ? [] : [text]) : text;
        if (values.length === 0) return null;
        return h(
          Fragment,
          { key: name },
          h('dt', null, name),
          values.map((each) => h('dd', { key: each }, each)),
        );
      }),
    ),
    h('h2', null, 'Graph'),
    h(Graph, { nodes, run }),
    h('h2', { id: 'steps' }, 'Steps'),
    h(
      'table',
      { 'aria-labelledby': 'steps' },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          column('Step', 'step'),
          column('Result', 'result'),
          column('Time', 'time'),
          column('Timeline', 'line'),
        ),
      ),
      h(
        'tbody',
        null,
        allNodes(nodes).map((node) => h(StepRow, { key: node.path, node, run, version })),
      ),
    ),
    hidden > 0 &&
      h(
        'p',
        null,
        `${hidden} more are not shown. `,
        h('button', { type: 'button', onClick: () => setCount(count + MANY) }, `Show ${Math.min(hidden, MANY)} more`),
      ),
    remote !== undefined && h('h2', null, 'Output'),
    remote !== undefined && h(Output, { run: id, path: id, log: 'log', isStored: true, version }),
  );
}

function column(name: string, className: string): ComponentChild {
  return h('th', { scope: 'col', class: className }, name);
}

function StepRow({ node, run, version }: Shown & Readonly<{ node: StepNode }>): ComponentChild {
  const { path, name, depth, op } = node;
  const state = stateOf(node);
  const hasFailed = isBad({ status: state, allowed: op?.allowed === true });
  const [isShown, setShown] = useState<boolean | undefined>();
  const open = isShown ?? (hasFailed || isOpen(state));
  const classes = [
    `d${Math.min(depth, MAX_DEPTH)}`,
    hasFailed ? 'failed' : state.replace(' ', '-'),
    op === undefined ? 'call' : '',
  ];
  const onToggle = (event: Readonly<{ currentTarget: HTMLDetailsElement }>): void => {
    if (event.currentTarget.open !== open) setShown(event.currentTarget.open);
  };
  return h(
    'tr',
    { 'data-step': path, 'data-state': state, class: classes.join(' ') },
    h(
      'th',
      { scope: 'row', class: 'step' },
      h(
        'details',
        { open, onToggle },
        h('summary', null, name),
        h(
          'div',
          null,
          node.conditions.map((each) => h('p', { key: each.command }, `if ${each.command}: ${each.status}`)),
          op !== undefined && h(Details, { op, run, version, open }),
        ),
      ),
    ),
    h('td', { class: 'result' }, `${SIGNS[state]} ${op?.result ?? state}`),
    h('td', { class: 'time' }, typeof op?.duration_ms === 'number' ? formatElapsed(op.duration_ms) : ''),
    h('td', { class: 'line' }, op !== undefined && h(Bar, { op, total: run.duration_ms })),
  );
}

function Details({ op, run, version, open }: Shown & Readonly<{ op: RecordedOp; open: boolean }>): ComponentChild {
  const last = op.commands.at(-1);
  const place = op.line === 0 ? '' : `${op.file}:${op.line}:${op.column}`;
  return h(
    Fragment,
    null,
    h('pre', { tabIndex: 0, role: 'group', 'aria-label': `Command of ${op.path}` }, op.command),
    place !== '' && h('p', null, place),
    op.attempts > 1 && h('p', null, `${op.attempts} attempts`),
    open &&
      last !== undefined &&
      run.remote === undefined &&
      h(Output, { run: run.id, path: op.path, log: `logs/${last.session}-${last.n}`, isStored: run.has_logs, version }),
  );
}

/** The bar of a command in the timeline of its run. */
function Bar({
  op: { offset_ms: from, duration_ms: ms },
  total,
}: Readonly<{ op: RecordedOp; total: number }>): ComponentChild {
  if (from === null || ms === null) return null;
  const width = Math.max(ms, total / 200);
  const x = share(Math.min(from, Math.max(0, total - width)), total);
  return h(
    'svg',
    { 'aria-hidden': 'true' },
    h('rect', { x, y: '25%', width: share(width, total), height: '50%', rx: 2 }),
  );
}
