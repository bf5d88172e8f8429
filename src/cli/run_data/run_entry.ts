import { commandPath } from '../../ir/steps/command_path.ts';
import { tookOf } from '../../records/journal/fold_history.ts';
import { endOf, type RecordedRun, waitOf, type RunState } from '../../records/journal/journal.ts';

/** A recorded run in a list of runs. */
export type RunEntry = Readonly<{
  id: string;
  workflow: string | null;
  state: RunState;
  sessions: number;
  start: string | null;
  end: string | null;
  /** The time of all sessions, without the pauses between them; null while there is no end. */
  duration_ms: number | null;
  /** The path of the step that failed or was running last; null if there is none. */
  step: string | null;
  /** The question or the lock that the run waits for. */
  question?: string;
  waits_for?: Readonly<{ lock: string; run: string | null }>;
  /** The paths of steps of which processes are left, although the run's process has ended. */
  left_running?: readonly string[];
  /** Whether the record is of other origin. */
  foreign?: true;
}>;

/** The entry of a run in the list. */
export function runEntry(run: RecordedRun, state: RunState): RunEntry {
  const { id, sessions, foreign } = run;
  const [first, last] = [sessions[0]?.header, sessions.at(-1)];
  return {
    id,
    workflow: first?.workflow ?? null,
    state,
    sessions: sessions.length,
    start: first?.at ?? null,
    end: (last && endOf(last)?.at) ?? null,
    duration_ms:
      last === undefined || endOf(last) === undefined ? null : sessions.reduce((sum, each) => sum + tookOf(each), 0),
    step: last === undefined ? null : unfinishedStep(last.records),
    ...waitOf(run),
    ...(foreign && { foreign }),
  };
}

/** The last step whose last attempt failed or has no end. */
function unfinishedStep(records: RecordedRun['sessions'][number]['records']): string | null {
  const ended = new Map(records.flatMap((record) => (record.kind === 'end' ? [[record.n, record] as const] : [])));
  const attempts = new Map(
    records.flatMap((record) =>
      record.kind === 'start' && record.what === 'step' ? [[JSON.stringify(record.id), record] as const] : [],
    ),
  );
  const step = [...attempts.values()].findLast(({ n }) => {
    const end = ended.get(n);
    return end === undefined || (end.failed && end.allowed !== true);
  });
  return step === undefined ? null : commandPath({ ...step, kind: step.what }).join('/');
}
