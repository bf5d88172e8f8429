import { h, type ComponentChild } from 'preact';
import { formatElapsed, isCounted, type ListedRun } from '../../../../../src/internal.ts';

/** The number of runs of a workflow that have a bar. */
const RUNS = 20;

/** The width of a bar with the gap after it, the height of the longest bar, and the least height, in pixels. */
const [STEP, HEIGHT, LEAST] = [9, 32, 3];

type Shown = Readonly<{ runs: readonly ListedRun[]; choose: (workflow: string) => void }>;

/** The last runs of each workflow as bars, oldest first: the colour is the result, the height is the time. */
export function Bars({ runs, choose }: Shown): ComponentChild {
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
