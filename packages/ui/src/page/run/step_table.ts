import { Fragment, h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { formatElapsed, isBad, isOpen, marksOf, share, SIGNS, tickOf } from '../../../../../src/internal.ts';
import type { RunDocument, RecordedOp } from '../../../../../src/internal.ts';
import { placeOf } from '../text.ts';
import { LastOutput } from './output.ts';
import { allNodes, stateOf, type StepNode } from './step_tree.ts';

/** The maximum indentation. */
const MAX_DEPTH = 4;

type Shown = Readonly<{ run: RunDocument; version: number }>;

/** The steps of a run with their results, and their times on an axis without the pauses between sessions. */
export function StepTable({ nodes, ...shown }: Shown & Readonly<{ nodes: readonly StepNode[] }>): ComponentChild {
  const { duration_ms: total } = shown.run;
  const tick = tickOf(total);
  return h(
    'table',
    { class: 'steps', 'aria-labelledby': 'steps', style: { '--tick': share(tick, total) } },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        column('Step', 'step'),
        column('Result', 'result'),
        column('Time', 'time'),
        h(
          'th',
          { scope: 'col', class: 'line' },
          h('span', { class: 'hidden' }, 'Timeline'),
          h(
            'svg',
            { 'aria-hidden': 'true' },
            marksOf(tick, total).map(({ x, label }) => h('text', { key: x, x, dx: 4, y: '1.5rem' }, label)),
          ),
        ),
      ),
    ),
    h(
      'tbody',
      null,
      allNodes(nodes).map((node) => h(StepRow, { key: node.path, node, ...shown })),
    ),
  );
}

function column(name: string, className: string): ComponentChild {
  return h('th', { scope: 'col', class: className }, name);
}

/** The row of a step, and below it the details that its button shows. */
function StepRow({ node, run, version }: Shown & Readonly<{ node: StepNode }>): ComponentChild {
  const { path, name, depth, op, conditions } = node;
  const state = stateOf(node);
  const hasFailed = isBad({ status: state, allowed: op?.allowed === true });
  const [isShown, setShown] = useState<boolean | undefined>();
  const open = isShown ?? isOpen(state);
  const classes = [
    `d${Math.min(depth, MAX_DEPTH)}`,
    hasFailed ? 'failed' : state.replace(' ', '-'),
    op === undefined ? 'call' : '',
    op?.kind === 'hook' ? 'hook' : '',
    op === undefined || op.start === null ? 'none' : '',
  ];
  const className = classes.filter(Boolean).join(' ');
  const title = h(Fragment, null, op?.kind === 'hook' && h('span', { class: 'tag' }, 'hook'), name);
  const hasDetails = op !== undefined || conditions.length > 0;
  const toggle = { type: 'button', class: 'toggle', 'aria-expanded': open, onClick: () => setShown(!open) };
  return h(
    Fragment,
    null,
    h(
      'tr',
      { 'data-step': path, 'data-state': state, class: className },
      h('th', { scope: 'row', class: 'step' }, hasDetails ? h('button', toggle, title) : title),
      h('td', { class: 'result' }, `${SIGNS[state]} ${op?.result ?? state}`),
      h('td', { class: 'time' }, typeof op?.duration_ms === 'number' ? formatElapsed(op.duration_ms) : ''),
      h('td', { class: 'line' }, op !== undefined && h(Bar, { op, run })),
    ),
    hasDetails &&
      open &&
      h(
        'tr',
        { class: `details ${className}` },
        h(
          'td',
          { colSpan: 4 },
          conditions.map((each) => h('p', { key: each.command }, `if ${each.command}: ${each.status}`)),
          op !== undefined && h(Details, { op, run, version }),
        ),
      ),
  );
}

function Details({ op, run, version }: Shown & Readonly<{ op: RecordedOp }>): ComponentChild {
  const place = placeOf(op);
  return h(
    Fragment,
    null,
    h('pre', { tabIndex: 0, role: 'group', 'aria-label': `Command of ${op.path}` }, op.command),
    place !== '' && h('p', null, place),
    op.attempts > 1 && h('p', null, `${op.attempts} attempts`),
    h(LastOutput, { op, run, version }),
  );
}

/** The bar of a command in the timeline of its run, and lines where a later session begins. */
function Bar({
  op: { offset_ms: from, duration_ms: ms },
  run: { duration_ms: total, sessions },
}: Readonly<{ op: RecordedOp; run: RunDocument }>): ComponentChild {
  if (from === null || ms === null) return null;
  const width = Math.max(ms, total / 200);
  const x = share(Math.min(from, Math.max(0, total - width)), total);
  return h(
    'svg',
    { 'aria-hidden': 'true' },
    sessions.slice(1).map(({ session, offset_ms: offset }) => {
      const at = share(offset, total);
      return h('line', { key: session, x1: at, x2: at, y1: 0, y2: '100%' });
    }),
    h('rect', { x, y: '25%', width: share(width, total), height: '50%', rx: 2 }),
  );
}
