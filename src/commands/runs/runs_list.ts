import { enterDirectoryOfRuns } from './enter_directory.ts';
import { openJournal } from '../../driver/runs/open_journal.ts';
import { startOf, thisProcess } from '../../journal/holder.ts';
import type { RecordedRun } from '../../journal/journal.ts';
import { runState, type RunState } from '../../journal/run_state.ts';
import { printDocument } from '../../output/document.ts';
import type { Options } from '../../command_line/parse.ts';
import { EXIT, refuse, type Io } from '../../output/io.ts';
import { createRunNames } from './run_names.ts';
import type { ListedRun } from './runs_table.ts';

export type RunEntry = Readonly<{
  id: string;
  workflow: string | null;
  state: RunState;
  sessions: number;
  start: string | null;
  end: string | null;
  /** The step that failed or was running last; null if there is none. */
  step: string | null;
  /** Whether the record is of other origin. */
  foreign?: true;
}>;

/** `workflow runs list`: prints the recorded runs, newest first. */
export async function runsList(io: Io, options: Options): Promise<number> {
  const url = options.values.get('on') ?? io.env['CLI_ON'];
  if (url) return (await import('../remote/runs_on.ts')).runsOn(io, 'list', url, options);
  enterDirectoryOfRuns(io, options);
  const opened = openJournal(io, options);
  if (!opened.ok) return refuse(io, opened.problems);
  const journal = opened.value;
  const here = thisProcess();
  const entries = journal
    .runs()
    .toReversed()
    .flatMap((id) => {
      // One record at a time: together they may be larger than the memory.
      const run = journal.read(id);
      return run === undefined ? [] : runEntry(run, runState(run, here, startOf));
    });
  return options.values.get('format') === 'table'
    ? (await import('./runs_table.ts')).printRuns(io, entries.map(createRow(entries)), '.cli/runs')
    : printDocument(io, entries, options, EXIT.ok);
}

/** Returns a function for the rows of the table. */
function createRow(entries: readonly RunEntry[]): (entry: RunEntry) => ListedRun {
  const nameOf = createRunNames(entries.map(({ id }) => id));
  return ({ id, state, foreign, ...entry }) => ({
    ...entry,
    name: nameOf(id),
    state: foreign === true ? `${state} (foreign)` : state,
  });
}

/** The entry of a run in the list. */
export function runEntry({ id, sessions, foreign }: RecordedRun, state: RunState): RunEntry {
  const [first, last] = [sessions[0]?.header, sessions.at(-1)];
  const finish = last?.records.find((record) => record.kind === 'finish');
  return {
    id,
    workflow: first?.workflow ?? null,
    state,
    sessions: sessions.length,
    start: first?.at ?? null,
    end: finish?.kind === 'finish' ? finish.at : null,
    step: last === undefined ? null : unfinishedStep(last.records),
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
  return step?.name ?? null;
}
