import { commandPath } from '../../../ir/steps/command_path.ts';
import { fingerprintKey } from '../../../ir/steps/identity.ts';
import { attemptsOf, tookOf, type Attempt } from '../../../records/journal/fold_history.ts';
import { endOf, type Journal, type RecordedRun, runState, type RunState } from '../../../records/journal/journal.ts';

/**
 * The attempts of a step in a session. `print` is its fingerprint as a text, `ms` the time of its attempts together.
 * `outcomes` contains the success of each attempt that ended by itself.
 */
export type Execution = Readonly<{ id: string; print: string; path: string; name: string; ms: number }> &
  Readonly<{ outcomes: readonly boolean[]; succeeded: boolean }>;

/**
 * The times of a recorded run. `ms` is null unless it succeeded as a whole; it may have been resumed (`sessions`).
 * `executions` are those of its steps, in the order of their starts.
 */
export type RunTimes = Readonly<{ id: string; state: RunState; start: string; ms: number | null; sessions: number }> &
  Readonly<{ executions: readonly Execution[] }>;

/** The states of runs that have ended. */
const ENDED: ReadonlySet<RunState> = new Set(['succeeded', 'failed', 'interrupted', 'crashed', 'stopped']);

/**
 * The newest runs of a workflow that have ended, newest first, from the records of this user: at most `count`, among the
 * `limit` newest records.
 */
export function readRunTimes(journal: Journal, workflow: string, count: number, limit = Infinity): readonly RunTimes[] {
  const found: RunTimes[] = [];
  let read = 0;
  for (const id of journal.mayBeOwn(journal.runs()).toReversed()) {
    if (found.length === count || read === limit) break;
    read += 1;
    const run = journal.read(id);
    const times = run !== undefined && workflowOf(run) === workflow ? timesOf(run) : undefined;
    if (times !== undefined) found.push(times);
  }
  return found;
}

/** The workflow of a run of this user; undefined for a foreign record, and for one that cannot be read. */
export function workflowOf({ foreign, damage, sessions }: RecordedRun): string | undefined {
  return foreign || damage !== null ? undefined : sessions[0]?.header.workflow;
}

/** The times of a run; undefined unless it has ended. */
export function timesOf(run: RecordedRun): RunTimes | undefined {
  const [first, state] = [run.sessions[0], runState(run)];
  if (first === undefined || !ENDED.has(state)) return undefined;
  const { at: start, from, until } = first.header;
  const isWhole = state === 'succeeded' && from === null && until === null;
  const executions = run.sessions.flatMap(({ records }) => executionsOf(attemptsOf(records)));
  const ms = isWhole ? wholeTime(run, executions) : null;
  return { id: run.id, state, start, ms, sessions: run.sessions.length, executions };
}

/** The time of all sessions; null if it contradicts the clock or the times of the steps: the clock was changed. */
function wholeTime({ sessions }: RecordedRun, executions: readonly Execution[]): number | null {
  const isSetBack = sessions.some((each) => Date.parse(endOf(each)?.at ?? '') < Date.parse(each.header.at));
  const ms = sessions.reduce((sum, each) => sum + tookOf(each), 0);
  const longest = executions.reduce((most, each) => Math.max(most, each.ms), 0);
  return isSetBack || ms < longest ? null : ms;
}

function executionsOf(attempts: readonly Attempt[]): readonly Execution[] {
  const bySteps = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    // A step in the background takes the time of others.
    if (attempt.start.what !== 'step' || attempt.start.background === true) continue;
    const id = JSON.stringify(attempt.start.id);
    bySteps.set(id, [...(bySteps.get(id) ?? []), attempt]);
  }
  return [...bySteps].map(([id, own]): Execution => {
    const last = own.at(-1);
    if (last === undefined) throw new Error('a step without an attempt');
    const outcomes = own.flatMap(({ end }) => (end === undefined || isCutShort(end) ? [] : !end.failed));
    return {
      id,
      print: fingerprintKey(last.start.print),
      path: commandPath({ ...last.start, kind: 'step' }).join('/'),
      name: last.start.name,
      ms: own.reduce((sum, { end }) => sum + (end?.ms ?? 0), 0),
      outcomes,
      succeeded: last.end !== undefined && !isCutShort(last.end) && !last.end.failed,
    };
  });
}

/** Whether a command did not end by itself. */
function isCutShort({ cancelled, rejected, interrupted }: NonNullable<Attempt['end']>): boolean {
  return cancelled === true || rejected === true || interrupted === true;
}

/** The value below which half of some numbers lie. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  const [low, high] = [sorted[(sorted.length - 1) >>> 1], sorted[sorted.length >>> 1]];
  return low === undefined || high === undefined ? null : Math.round((low + high) / 2);
}

/** The value that nine tenths of some numbers do not exceed. */
export function ninetieth(values: readonly number[]): number | null {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * 0.9) - 1] ?? null;
}
