import { existsSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { DEFAULT_FILE } from '../../command_line/default_file.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { printStderr, type Io } from '../../output/io.ts';
import { changeDirectory, searchedDirectories } from '../../driver/find_directory.ts';
import { runsPlace, openJournal } from '../../driver/recording/record_run.ts';
import { findRun } from '../../driver/recording/find_run.ts';
import { failure, type Result } from '../../../base/result.ts';
import type { Journal, RecordedRun } from '../../../records/journal/journal.ts';

/** The usual directory of the records, relative to the directory of the default file. */
const RUNS = '.cli/runs';

/**
 * Changes to the directory in which `run` records: the nearest searched one with records or a default file. Prints the
 * directory, and returns the path back. With `--file`, stays in the current directory.
 */
export function enterDirectoryOfRuns(io: Io, { isFileNamed, quiet }: Options): string {
  const start = process.cwd();
  const found = isFileNamed ? start : searchedDirectories(start).find(hasRuns);
  if (found === undefined || found === start) return '';
  const directory = relative(start, found);
  const place = runsPlace(io);
  if (!quiet) printStderr(io, [`using ${isAbsolute(place) ? place : join(directory, place)}`], 'cli: ');
  changeDirectory(io, found);
  return relative(found, start);
}

function hasRuns(directory: string): boolean {
  return [RUNS, DEFAULT_FILE].some((path) => existsSync(join(directory, path)));
}

/** A recorded run, its journal, and the path back from the directory that was entered to read it. `step` follows the run. */
type OpenRun = Readonly<{ journal: Journal; run: RecordedRun; startDirectory: string; step: string | undefined }>;

/** Opens the run that a command line names, which may also name a step if it `takesStep`. */
export function openRun(io: Io, options: Options, takesStep = false): Result<OpenRun> {
  const { words, last, failed } = options;
  const [text, ...others] = last || failed ? [undefined, ...words] : words;
  const [extra] = others.slice(takesStep ? 1 : 0);
  if (extra !== undefined) return failure(`unexpected argument '${extra}'`);
  const startDirectory = enterDirectoryOfRuns(io, options);
  const journal = openJournal(io, options);
  if (!journal.ok) return journal;
  const run = findRun(journal.value, text, failed);
  if (!run.ok) return run;
  return { ok: true, value: { journal: journal.value, run: run.value, startDirectory, step: others[0] } };
}
