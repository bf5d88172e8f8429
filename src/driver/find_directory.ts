import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DEFAULT_FILE } from '../command_line/default_file.ts';
import type { Io } from '../output/io.ts';

/** The directories to search for the default file: from `start` up to the repository root, which contains `.git`. */
export function searchedDirectories(start: string): string[] {
  const all = [start];
  for (let directory = start; !existsSync(join(directory, '.git'));) {
    const parent = dirname(directory);
    // Outside of a repository, a file of an unrelated directory must not be run.
    if (parent === directory) return [start];
    all.push(parent);
    directory = parent;
  }
  return all;
}

/** The nearest directory, from `start` up to the root of its repository, with a default file. */
export function findDirectory(start: string): string | undefined {
  return searchedDirectories(start).find((directory) => existsSync(join(directory, DEFAULT_FILE)));
}

/** Changes to a directory, and sets `PWD` as a shell does. Without `PWD` in the environment, none is added. */
export function changeDirectory({ env }: Io, path: string): void {
  process.chdir(path);
  if (env['PWD'] !== undefined) env['PWD'] = path;
}
