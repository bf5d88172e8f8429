import { h, type ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { formatElapsed, type ListedRun, isCounted } from '../../../../../src/internal.ts';
import type { RunList } from '../connection.ts';
import { age, moment, paramTexts } from '../text.ts';

/** The number of runs of a workflow that have a bar. */
const RUNS = 20;

/** The width of a bar with the gap after it, the height of the longest bar, and the least height, in pixels. */
const [STEP, HEIGHT, LEAST] = [9, 32, 3];

type Shown = Readonly<{ runs: readonly ListedRun[]; choose: (workflow: string) => void }>;

/** The last runs of each workflow as bars, oldest first: the colour is the result, the height is the time. */
function Bars({ runs, choose }: Shown): ComponentChild {
  const counted = runs.filter((run) => isCounted(run) && run.foreign !== true && run.duration_ms !== null);
  const workflows = [...new Set(counted.flatMap(({ workflow }) => workflow ?? []))].toSorted();
  if (workflows.length === 0) return null;
  return h(
    'ul',
    { class: 'bars', 'aria-label': 'Last runs' },
    workflows.map((workflow) => {
      const own = counted.filter((run) => run.workflow === workflow).slice(0, RUNS);
      return h(
        'li',
        { key: workflow, 'data-workflow': workflow },
        h('button', { type: 'button', class: 'link', onClick: () => choose(workflow) }, workflow),
        bars(own.toReversed()),
      );
    }),
  );
}

function bars(runs: readonly ListedRun[]): ComponentChild {
  const succeeded = runs.filter(({ state }) => state === 'succeeded').length;
  const longest = runs.reduce((most, { duration_ms: ms }) => Math.max(most, ms ?? 0), 1);
  const label = `${succeeded} of ${runs.length} succeeded, the longest took ${formatElapsed(longest)}`;
  return h(
    'svg',
    { role: 'img', 'aria-label': label, width: runs.length * STEP, height: HEIGHT },
    runs.map(({ id, state, duration_ms: ms }, index) => {
      const height = Math.max(LEAST, Math.round((HEIGHT * (ms ?? 0)) / longest));
      const place = { x: index * STEP, y: HEIGHT - height, width: STEP - 2, height, rx: 1 };
      const title = `${id}: ${state}, ${formatElapsed(ms ?? 0)}`;
      return h('rect', { key: id, class: state, ...place }, h('title', null, title));
    }),
  );
}

/** The number of characters of a commit that are shown. */
const SHORT = 10;

/** How often ages are shown anew, in milliseconds. */
const MINUTE = 60_000;

/** The table of all runs, with filters. */
export function RunTable({ list }: Readonly<{ list: RunList }>): ComponentChild {
  const [workflow, setWorkflow] = useState('');
  const [state, setState] = useState('');
  const [, setMinutes] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setMinutes((minutes) => minutes + 1), MINUTE);
    return () => clearInterval(timer);
  }, []);
  const states = [...new Set(list.runs.map((run) => run.state))].toSorted();
  const shown = list.runs.filter(
    (run) => (run.workflow ?? '').includes(workflow) && (state === '' || run.state === state),
  );
  const hasCommits = list.runs.some(({ commit }) => commit !== undefined);
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
    h(Bars, { runs: list.runs, choose: setWorkflow }),
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
    shown.length > 0 &&
      h(
        'table',
        { class: 'runs', 'aria-label': 'Runs' },
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            heading('Workflow', 'step'),
            heading('State', 'result'),
            heading('Started', 'age'),
            heading('Took', 'time'),
            hasCommits && heading('Commit', 'commit'),
            heading('Run', 'id'),
          ),
        ),
        h(
          'tbody',
          null,
          shown.map((run) => row(run, hasCommits)),
        ),
      ),
  );
}

function heading(name: string, column: string): ComponentChild {
  return h('th', { scope: 'col', class: column }, name);
}

function row(run: ListedRun, hasCommits: boolean): ComponentChild {
  const { id, workflow, state, foreign, step, start, duration_ms: ms, params = {}, commit } = run;
  const given = paramTexts(params).join(' ');
  return h(
    'tr',
    { key: id, 'data-run': id, 'data-state': state, class: state },
    h(
      'th',
      { scope: 'row', class: 'step' },
      h('a', { href: `#/runs/${id}` }, workflow ?? id),
      given !== '' && h('code', { class: 'params', title: given }, ` ${given}`),
    ),
    h(
      'td',
      { class: 'result' },
      `${state}${foreign === true ? ' (foreign)' : ''}`,
      step !== null && h('span', { class: 'at' }, `: ${step}`),
    ),
    h('td', { class: 'age', title: moment(start) }, age(start)),
    h('td', { class: 'time' }, ms === null ? '' : formatElapsed(ms)),
    hasCommits && h('td', { class: 'commit', title: commit }, h('code', null, commit?.slice(0, SHORT))),
    h('td', { class: 'id' }, h('code', null, id)),
  );
}
