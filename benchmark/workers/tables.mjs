// The budget of runs on other machines, and the tables of a benchmark.

const ms = (value) => `${value.toFixed(value < 20 ? 1 : 0)} ms`;
const mib = (value) => `${value.toFixed(0)} MiB`;

const target = (what, budget, unit, valuesOf) => ({ what, budget, unit, valuesOf });
const times = (name) => (results) => [results[name].median, results[name].worst];
const resident = (name) => (results) => [results.memory[name].rss];

/** Each budget with its unit, the measured value that it limits, and the worst value if there are several. */
const BUDGET = [
  target('a step, more than locally', 8, ms, times('operation')),
  target('from the submission to a worker', 600, ms, times('dequeue')),
  target('from the submission to the first step', 900, ms, times('firstStep')),
  target('delay of output', 300, ms, times('output')),
  target('from Ctrl-C to the signal', 1000, ms, times('cancel')),
  target('from `kill -9` of a worker to the step', 6000, ms, times('takeover')),
  target('memory of a worker (RSS)', 110, mib, resident('worker')),
  target('memory of the process of a run (RSS)', 70, mib, resident('runner')),
];

/** The results in Markdown. What is over its budget is bold. */
export function workersPage({ date, machine, quick, load, results }) {
  const rows = BUDGET.map(({ what, budget, unit, valuesOf }) => {
    const [value, worst] = valuesOf(results);
    const text = value > budget ? `**${unit(value)}**` : unit(value);
    return `| ${what} | ${unit(budget)} | ${text} | ${worst === undefined ? '' : unit(worst)} |\n`;
  });
  const throughput = results.throughput.map(
    ({ workers, runs, steps }) => `| ${workers} | ${runs.toFixed(1)} | ${steps.toFixed(0)} |\n`,
  );
  const { operation, memory } = results;
  const made = `Measured on ${date} by \`npm run bench:workers${quick ? ' -- --quick' : ''}\` with a load of ${load.toFixed(1)}: ${machine}.`;
  return [
    `${made}\n`,
    '| | budget | median | worst |\n| --- | ---: | ---: | ---: |',
    rows.join(''),
    `A step took ${ms(operation.local)} locally and ${ms(operation.remote)} on a worker. With shared pages divided among their processes (PSS), the worker has ${mib(memory.worker.pss)} and the process of a run ${mib(memory.runner.pss)}.\n`,
    '| workers | runs per second | steps per second |\n| ---: | ---: | ---: |',
    throughput.join(''),
  ].join('\n');
}
