import { createFingerprints, fingerprintKey, identify } from '../../../ir/steps/identity.ts';
import { at, type Plan } from '../../../ir/plan.ts';
import { directoryJournal } from '../../../records/journal/directory/directory_journal.ts';
import type { Journal } from '../../../records/journal/journal.ts';
import { runsDirectory, trustOf } from '../../driver/recording/record_run.ts';
import { formatUsual } from '../../output/quantities.ts';
import type { Io } from '../../output/io.ts';
import { MIN_RUN, type UsualTimes } from '../../reporters/times/usual_text.ts';
import { median, readRunTimes, type RunTimes } from './run_times.ts';

/** The number of runs that are looked at, of records that are read for them, and of successes that count. */
const [RUNS, RECORDS, SUCCESSES] = [10, 50, 5];

/** The usual times of a plan, from the newest runs of its workflow. */
export function readUsualTimes(io: Io, plan: Plan): UsualTimes {
  const runs = readRunTimes(journalOf(io), plan.workflow, RUNS, RECORDS);
  const steps = stepTimes(runs, plan);
  const whole = estimateOf(runs);
  return { ofStep: (index) => steps.get(index), ofRun: () => whole?.ms };
}

/** The usual time of a run of a workflow, and the number of runs that it is taken from. */
type Estimate = Readonly<{ ms: number; runs: number }>;

/** The estimate for a run of a workflow as a line; undefined without at least two runs of some length. */
export function estimateLine(io: Io, workflow: string): string | undefined {
  const runs = readRunTimes(journalOf(io), workflow, RUNS, RECORDS);
  const estimate = estimateOf(runs);
  return estimate && `about ${formatUsual(estimate.ms)}, from the last ${estimate.runs} runs`;
}

function journalOf(io: Io): Journal {
  return directoryJournal(runsDirectory(io).path, trustOf(io));
}

/** The estimate from runs that were not resumed. */
function estimateOf(runs: readonly RunTimes[]): Estimate | undefined {
  const times = runs.flatMap(({ ms, sessions }) => (sessions === 1 ? (ms ?? []) : [])).slice(0, SUCCESSES);
  const ms = median(times);
  return ms === null || times.length < 2 || ms < MIN_RUN ? undefined : { ms, runs: times.length };
}

/** The usual times of the steps of a plan that have succeeded unchanged at least twice, by op index. */
function stepTimes(runs: readonly RunTimes[], plan: Plan): ReadonlyMap<number, number> {
  const found = new Map<string, Map<string, number[]>>();
  for (const { executions } of runs) {
    for (const { id, print, ms, succeeded } of executions) {
      if (!succeeded) continue;
      const prints = found.get(id) ?? new Map<string, number[]>();
      const times = prints.get(print) ?? [];
      if (times.length < SUCCESSES) times.push(ms);
      found.set(id, prints.set(print, times));
    }
  }
  const usual = new Map<number, number>();
  const printOf = createFingerprints(plan);
  for (const { kind, index, path } of found.size === 0 ? [] : identify(plan)) {
    const prints = kind === 'run' ? found.get(JSON.stringify(path)) : undefined;
    const op = prints && at(plan.ops, index);
    const times = op?.kind === 'run' ? prints?.get(fingerprintKey(printOf(op))) : undefined;
    const ms = times === undefined || times.length < 2 ? null : median(times);
    if (ms !== null) usual.set(index, ms);
  }
  return usual;
}
