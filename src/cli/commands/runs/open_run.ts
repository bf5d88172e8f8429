import { findRun } from '../../driver/runs/find_run.ts';
import { openJournal } from '../../driver/runs/open_journal.ts';
import type { Result } from '../../../base/result.ts';
import type { Journal, RecordedRun } from '../../../records/journal/journal.ts';
import type { Options } from '../../command_line/parse.ts';
import type { Io } from '../../output/io.ts';
import { enterDirectoryOfRuns } from './enter_directory.ts';

/** A recorded run, its journal, and the path back from the directory that was entered to read it. */
type OpenRun = Readonly<{ journal: Journal; run: RecordedRun; startDirectory: string }>;

/** Opens the run that a text names, or the newest one without a text. */
export function openRun(io: Io, options: Options, text: string | undefined): Result<OpenRun> {
  const startDirectory = enterDirectoryOfRuns(io, options);
  const journal = openJournal(io, options);
  if (!journal.ok) return journal;
  const run = findRun(journal.value, text);
  return run.ok ? { ok: true, value: { journal: journal.value, run: run.value, startDirectory } } : run;
}
