import { constants, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { DEFAULT_FILE } from '../command_line/default_file.ts';
import type { Io } from '../output/io.ts';

/** The directories from `start` up to the root of its repository, which contains `.git`; undefined without one. */
export function directoriesOfRepository(start: string): string[] | undefined {
  const all = [start, ...parentsOf(start)];
  const root = all.findIndex((directory) => existsSync(join(directory, '.git')));
  return root === -1 ? undefined : all.slice(0, root + 1);
}

/**
 * The directories to search for the default file: those of the repository. Without one, the parents that belong to the
 * owner of `start`, up to the first of another owner or in which everyone may create files, such as /tmp.
 */
export function searchedDirectories(start: string): string[] {
  const ofRepository = directoriesOfRepository(start);
  if (ofRepository !== undefined) return ofRepository;
  const owner = trySystemCall(() => statSync(start).uid);
  const parents = parentsOf(start);
  const end = parents.findIndex((parent) => {
    const stats = trySystemCall(() => statSync(parent));
    return typeof stats === 'string' || stats.uid !== owner || (stats.mode & constants.S_IWOTH) !== 0;
  });
  return [start, ...(end === -1 ? parents : parents.slice(0, end))];
}

/** The parent directories, the nearest first. */
export function parentsOf(start: string): string[] {
  const parents: string[] = [];
  for (let directory = start; directory !== dirname(directory);) {
    directory = dirname(directory);
    parents.push(directory);
  }
  return parents;
}

/** The nearest searched directory with a default file. */
export function findDirectory(start: string): string | undefined {
  return searchedDirectories(start).find((directory) => existsSync(join(directory, DEFAULT_FILE)));
}

/** Changes to a directory, and sets `PWD` as a shell does. Without `PWD` in the environment, none is added. */
export function changeDirectory({ env }: Io, path: string): void {
  process.chdir(path);
  if (env['PWD'] !== undefined) env['PWD'] = path;
}
