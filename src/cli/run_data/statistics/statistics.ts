import type { Journal } from '../../../records/journal/journal.ts';
import { median, ninetieth, readRunTimes, timesOf, workflowOf, type Execution, type RunTimes } from './run_times.ts';

/** The number of runs of a workflow that count. */
const RUNS = 100;

/** Times in milliseconds are those of successes; null without any. */
type Counts = Readonly<{ runs: number; succeeded: number; median_ms: number | null; p90_ms: number | null }>;

/** `flaky` is the number of runs in which the step passed unchanged after it had failed. */
export type StepStatistics = Readonly<{ path: string; name: string }> & Counts & Readonly<{ flaky: number }>;

/** The statistics of a workflow's newest runs, and of its steps in the order of their first starts. */
export type WorkflowStatistics = Readonly<{ workflow: string }> &
  Counts &
  Readonly<{ steps: readonly StepStatistics[] }>;

/** The statistics of a workflow; undefined if no run of it has ended. */
export function readStatistics(journal: Journal, workflow: string): WorkflowStatistics | undefined {
  const runs = readRunTimes(journal, workflow, RUNS);
  return runs.length === 0 ? undefined : statisticsOf(workflow, runs);
}

/** The statistics of all workflows with recorded runs, by name. */
export function readAllStatistics(journal: Journal): readonly WorkflowStatistics[] {
  const found = new Map<string, RunTimes[]>();
  for (const id of journal.mayBeOwn(journal.runs()).toReversed()) {
    const run = journal.read(id);
    const workflow = run && workflowOf(run);
    if (run === undefined || workflow === undefined) continue;
    const runs = found.get(workflow) ?? [];
    const times = runs.length < RUNS ? timesOf(run) : undefined;
    if (times !== undefined) found.set(workflow, [...runs, times]);
  }
  const names = [...found.keys()].toSorted();
  return names.map((workflow) => statisticsOf(workflow, found.get(workflow) ?? []));
}

/** Whether a run with a state counts: runs of a part, interrupted and killed runs do not. */
export function isCounted({ state }: Readonly<{ state: string }>): boolean {
  return state === 'succeeded' || state === 'failed';
}

/** The statistics of runs, newest first. */
function statisticsOf(workflow: string, runs: readonly RunTimes[]): WorkflowStatistics {
  const counted = runs.filter(isCounted);
  const succeeded = counted.filter(({ state }) => state === 'succeeded');
  const counts = countsOf(
    counted.length,
    succeeded.length,
    succeeded.flatMap(({ ms }) => ms ?? []),
  );
  return { workflow, ...counts, steps: stepStatistics(runs.toReversed()) };
}

function countsOf(runs: number, succeeded: number, times: readonly number[]): Counts {
  return { runs, succeeded, median_ms: median(times), p90_ms: ninetieth(times) };
}

/** A step in its runs, oldest first. `failed` is the fingerprint of the last attempt if that failed. */
type StepRuns = {
  last: Execution;
  readonly runs: Map<string, Execution>;
  readonly flaky: Set<string>;
  failed?: string | undefined;
};

function stepStatistics(runs: readonly RunTimes[]): readonly StepStatistics[] {
  const steps = new Map<string, StepRuns>();
  for (const { id: run, executions } of runs) {
    for (const each of executions) {
      if (each.outcomes.length === 0) continue;
      const step: StepRuns = steps.get(each.id) ?? { last: each, runs: new Map(), flaky: new Set() };
      steps.set(each.id, step);
      step.last = each;
      step.runs.set(run, each);
      for (const succeeded of each.outcomes) {
        if (succeeded && step.failed === each.print) step.flaky.add(run);
        step.failed = succeeded ? undefined : each.print;
      }
    }
  }
  return [...steps.values()].map(({ last: { path, name }, runs: own, flaky }) => {
    const succeeded = [...own.values()].filter((each) => each.succeeded);
    const times = succeeded.map(({ ms }) => ms);
    return Object.assign({ path, name }, countsOf(own.size, succeeded.length, times), { flaky: flaky.size });
  });
}
