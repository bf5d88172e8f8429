import { existsSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { DEFAULT_FILE } from '../../command_line/default_file.ts';
import type { Options } from '../../command_line/parse.ts';
import { printStderr, type Io } from '../../output/io.ts';
import { changeDirectory, searchedDirectories } from '../../driver/find_directory.ts';
import { runsPlace } from '../../driver/runs/record_run.ts';

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
