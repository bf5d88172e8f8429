import { enterDirectoryOfRuns } from './enter_directory.ts';
import { runsDirectory } from '../../driver/runs/record_run.ts';
import { directoryJournal } from '../../journal/directory/directory_journal.ts';
import { startOf, thisProcess } from '../../journal/holder.ts';
import type { RecordedRun } from '../../journal/journal.ts';
import { runState, type RunState } from '../../journal/run_state.ts';
import { table } from '../../output/columns.ts';
import { print, printDocument } from '../../output/document.ts';
import type { Options } from '../../command_line/parse.ts';
import { EXIT, type Io } from '../../output/io.ts';

type RunEntry = Readonly<{
  id: string;
  workflow: string | null;
  state: RunState;
  sessions: number;
  start: string | null;
  end: string | null;
  /** The step that failed or was running last; null if there is none. */
  step: string | null;
}>;

/** `workflow runs list`: prints the recorded runs, newest first. */
export async function runsList(io: Io, options: Options): Promise<number> {
  const url = options.values.get('on') ?? io.env['CLI_ON'];
  if (url) return (await import('../remote/runs_on.ts')).runsOn(io, 'list', url, options);
  enterDirectoryOfRuns(io, options);
  const journal = directoryJournal(runsDirectory(io));
  const here = thisProcess();
  const entries = journal
    .runs()
    .toReversed()
    .flatMap((id) => journal.read(id) ?? [])
    .map((run) => runEntry(run, runState(run, here, startOf)));
  return options.values.get('format') === 'table'
    ? print(io, table(entries.map(({ id, workflow, state, start, end }) => [id, workflow, state, start, end])), EXIT.ok)
    : printDocument(io, entries, options, EXIT.ok);
}

function runEntry({ id, sessions }: RecordedRun, state: RunState): RunEntry {
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
  };
}

function unfinishedStep(records: RecordedRun['sessions'][number]['records']): string | null {
  const ended = new Map(records.flatMap((record) => (record.kind === 'end' ? [[record.n, record] as const] : [])));
  const step = records.findLast((record) => {
    if (record.kind !== 'start' || record.what !== 'step') return false;
    const end = ended.get(record.n);
    return end === undefined || (end.failed && end.allowed !== true);
  });
  return step?.kind === 'start' ? step.name : null;
}
