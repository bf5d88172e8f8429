// The targets, and a comparison of benchmark results with them.
import { recordCost, SYNCED } from './record_cost.mjs';

/** The row of a case, for the npm package or the standalone executable; undefined if the case was not run. */
const rowOf = (results, name, task, standalone) =>
  results[name]?.find((row) => row.name === `cli ${task}${standalone ? ' (standalone)' : ''}`);

const ratio = (name, task) => (results, standalone) => rowOf(results, name, task, standalone)?.ratio;

/** The ratio of a recorded run to a bare loop that syncs a line before each step. */
const recordedRatio = (name, task) => (results, standalone) => {
  const row = rowOf(results, name, `${task}, recorded`, standalone);
  const base = results[name]?.find((each) => each.name === SYNCED);
  return row && base && row.ms / base.ms;
};

/** The ratio of a run with many foreign records in its directory to one with few. */
const foreignRatio = (results, standalone) => {
  const [few, many] = ['100', '10,000'].map((count) =>
    rowOf(results, 'foreign records', `workflow run one among ${count}`, standalone),
  );
  return few && many && many.ms / few.ms;
};

/** A value of the cost of records. */
const record = (valueOf) => (results, standalone) => {
  const cost = recordCost(results.journal, standalone ? ' (standalone)' : '');
  return cost && valueOf(cost);
};

const memory = (name, task) => (results, standalone) => rowOf(results, name, task, standalone)?.mib;

/** The growth exponent of the time over the number of steps: the largest between two sizes, without the start-up. */
const exponent = (name) => (results, standalone) => {
  const sizes = [1000, 10_000, 90_000];
  const [start, ...times] = [1, ...sizes].map((n) => rowOf(results, name, `${n} steps`, standalone)?.ms);
  if (start === undefined) return undefined;
  const logs = times.map((ms, index) => ({ time: Math.log(ms - start), size: Math.log(sizes[index]) }));
  const [slopes, [first, ...others]] = [[], logs];
  others.reduce((one, other) => {
    slopes.push((other.time - one.time) / (other.size - one.size));
    return other;
  }, first);
  return Math.max(...slopes);
};

const target = (what, npm, standalone, valueIn) => ({ what, npm, standalone, valueIn });

/** The measured values, and the targets for the npm package and for the standalone executable. */
const TARGETS = [
  target('`workflow list` × `node -e 0`', 1.3, 0.55, ratio('start-up', 'workflow list')),
  target('`workflow validate` × `node -e 0`', 1.3, 0.55, ratio('start-up', 'workflow validate')),
  target('a run of one step × `node -e 0`', 1.95, 0.85, ratio('start-up', 'workflow run one')),
  target('Tab on 1,000 workflows × `node -e 0`', 3, 1.5, ratio('other commands', 'Tab, 1,000 workflows')),
  target('1,000 steps × C loop', 1.85, 1.2, ratio('1,000 steps', '1000 steps')),
  target('1,000 recorded steps × spawn in Node.js, synced', 1.12, 0.76, recordedRatio('journal', '1,000 steps')),
  target('5,000 steps × C loop', 1.85, 1.2, ratio('5,000 steps', '5000 steps')),
  target(
    '5,000 recorded steps × spawn in Node.js, synced',
    1.12,
    0.76,
    recordedRatio('journal of 5,000 steps', '5,000 steps'),
  ),
  target(
    'record of a run × `node -e 0`',
    0.15,
    0.15,
    record(({ start, empty }) => start / empty),
  ),
  target(
    'record of a step, without its sync, in ms',
    0.05,
    0.05,
    record(({ step, sync }) => step - sync),
  ),
  target(
    '`runs list` of 10,000 foreign records × `node -e 0`',
    30,
    30,
    ratio('foreign records', 'runs list of 10,000'),
  ),
  target('a run with 10,000 foreign records × the same with 100', 1.2, 1.4, foreignRatio),
  target('dry run of 10,000 steps × only JSON.parse', 6, 5, ratio('dry run of 10,000 steps', 'dry10000')),
  target('dry run of 100,000 steps × only JSON.parse', 8, 7, ratio('dry run of 100,000 steps', 'dry100000')),
  target('its memory in MiB', 200, 250, memory('dry run of 100,000 steps', 'dry100000')),
  target('exponent of growth with comments', 1.1, 1.1, exponent('growth with comments')),
  target('exponent with calls 20 levels deep', 1.1, 1.1, exponent('growth with calls 20 levels deep')),
  target('exponent with 1,000 references', 1.1, 1.1, exponent('growth with 1,000 references')),
];

const format = (number) => (number === undefined ? '' : number.toFixed(number < 20 ? 2 : 0));

/** The targets and the results as a table in Markdown. Missed targets are bold. */
export function targetTable(results) {
  const lines = TARGETS.map(({ what, npm, standalone, valueIn }) => {
    const cells = [npm, standalone].map((target, index) => {
      const value = valueIn(results, index === 1);
      const text = format(value);
      return `${format(target)} | ${value > target ? `**${text}**` : text}`;
    });
    return `| ${what} | ${cells.join(' | ')} |\n`;
  });
  const head = '| | target | npm package | target | standalone |\n| --- | ---: | ---: | ---: | ---: |\n';
  return `${head}${lines.join('')}`;
}
