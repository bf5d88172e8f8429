import { Fragment, h, type ComponentChild } from 'preact';
import { formatElapsed, type RunDocument } from '../../../../../src/internal.ts';
import { age, moment, paramsOf, paramTexts } from '../text.ts';

/** The times, sessions and parameters of a run, and where it ran. */
export function About({ run }: Readonly<{ run: RunDocument }>): ComponentChild {
  const { id, params, remote, waits_for: waits } = run;
  const started = run.start === '' ? '' : `${moment(run.start)} (${age(run.start)})`;
  const facts = [
    ['Run', id],
    ['Started', started],
    ['Commit', run.commit ?? ''],
    ['Worker', remote?.worker ?? ''],
    ['Tag', remote?.tag ?? ''],
    ['Lock', remote?.lock ?? (waits === undefined ? '' : `waits for '${waits.lock}'`)],
    ['Taken over', remote === undefined || remote.takeovers === 0 ? '' : `${remote.takeovers}×`],
    ['Parameters', Object.keys(params).length === 0 ? '' : h(Params, { params })],
    ['Sessions', run.sessions.length < 2 ? '' : h(Sessions, { run })],
    ['Note', run.isPlanned ? '' : (run.note ?? '')],
  ] as const;
  return h(
    'dl',
    null,
    facts.map(([name, value]) => value !== '' && h(Fragment, { key: name }, h('dt', null, name), h('dd', null, value))),
  );
}

function Params({ params }: Pick<RunDocument, 'params'>): ComponentChild {
  const { shown, more } = paramsOf(params);
  return h(
    'table',
    { class: 'params', 'aria-label': 'Parameters' },
    h(
      'tbody',
      null,
      shown.map(([name, value]) =>
        h('tr', { key: name }, h('th', { scope: 'row' }, name), h('td', null, h('code', null, value))),
      ),
      more > 0 && h('tr', null, h('td', { colSpan: 2 }, `and ${more} more`)),
    ),
  );
}

function given(params: RunDocument['params']): string {
  return paramTexts(params).join(' ');
}

/** The sessions of a resumed run, with their own times, and their parameters where they differ from those of the run. */
function Sessions({ run }: Readonly<{ run: RunDocument }>): ComponentChild {
  return h(
    'ol',
    { class: 'sessions' },
    run.sessions.map(({ session, state, start, duration_ms: ms, user, uid, host, reason, params }) =>
      h(
        'li',
        { key: session, 'data-session': session, class: state },
        h('strong', { class: 'result' }, state),
        ` after ${formatElapsed(ms)}, started ${moment(start)} by ${user ?? uid ?? 'an unknown user'} on ${host}`,
        reason !== null && h('p', null, reason),
        given(params) !== given(run.params) && h('p', null, h('code', null, given(params))),
      ),
    ),
  );
}
