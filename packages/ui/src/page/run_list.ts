import { h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { RunList } from './connection.ts';
import { formatElapsed } from '../../../../src/internal.ts';
import { moment } from './text.ts';

/** The table of all runs, with filters. */
export function RunTable({ list }: Readonly<{ list: RunList }>): ComponentChild {
  const [workflow, setWorkflow] = useState('');
  const [state, setState] = useState('');
  const states = [...new Set(list.runs.map((run) => run.state))].toSorted();
  const shown = list.runs.filter(
    (run) => (run.workflow ?? '').includes(workflow) && (state === '' || run.state === state),
  );
  return h(
    'main',
    null,
    h('h1', null, 'Runs'),
    h(
      'p',
      null,
      list.directory === null ? 'Runs of all workers' : h('code', null, list.directory),
      list.read_only ? ' (read only)' : '',
    ),
    h(
      'div',
      { class: 'filters' },
      h(
        'label',
        null,
        'Workflow',
        h('input', {
          type: 'search',
          value: workflow,
          onInput: (event: Readonly<{ currentTarget: HTMLInputElement }>) => setWorkflow(event.currentTarget.value),
        }),
      ),
      h(
        'label',
        null,
        'State',
        h(
          'select',
          {
            value: state,
            onChange: (event: Readonly<{ currentTarget: HTMLSelectElement }>) => setState(event.currentTarget.value),
          },
          h('option', { value: '' }, 'all'),
          states.map((each) => h('option', { key: each, value: each }, each)),
        ),
      ),
    ),
    shown.length === 0 && h('p', null, list.runs.length === 0 ? 'No run is recorded here.' : 'No run matches.'),
    h(
      'table',
      { class: 'runs', 'aria-label': 'Runs' },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          heading('Run', 'step'),
          heading('Workflow', 'step'),
          heading('State', 'result'),
          heading('Started', 'step'),
          heading('Took', 'time'),
        ),
      ),
      h(
        'tbody',
        null,
        shown.map((run) =>
          h(
            'tr',
            { key: run.id, 'data-run': run.id, 'data-state': run.state, class: run.state },
            h('th', { scope: 'row', class: 'step' }, h('a', { href: `#/runs/${run.id}` }, run.id)),
            h('td', { class: 'step' }, run.workflow ?? ''),
            h(
              'td',
              { class: 'result' },
              `${run.state}${run.foreign === true ? ' (foreign)' : ''}${run.step === null ? '' : `: ${run.step}`}`,
            ),
            h('td', { class: 'step' }, moment(run.start)),
            h('td', { class: 'time' }, run.duration_ms === null ? '' : formatElapsed(run.duration_ms)),
          ),
        ),
      ),
    ),
  );
}

function heading(name: string, column: string): ComponentChild {
  return h('th', { scope: 'col', class: column }, name);
}
