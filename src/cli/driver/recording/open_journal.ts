import { directoryJournal } from '../../../records/journal/directory/directory_journal.ts';
import { readingProblem } from '../../../records/journal/directory/runs_directory.ts';
import type { Journal } from '../../../records/journal/journal.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import type { Io } from '../../output/io.ts';
import { failure, type Result } from '../../../base/result.ts';
import { runsDirectory, trustOf } from './record_run.ts';

/** The journal of the current directory. With `--trust` or `CLI_TRUST_RECORDS`, no record in it is foreign. */
export function openJournal(io: Io, options: Options): Result<Journal> {
  const directory = runsDirectory(io);
  const problem = readingProblem(directory);
  if (problem !== undefined) return failure(problem);
  return { ok: true, value: directoryJournal(directory.path, trustOf(io, options)) };
}
