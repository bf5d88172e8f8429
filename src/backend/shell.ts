import { accessSync, constants, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A shell and the arguments that stand before a command. */
export interface Shell {
  readonly file: string;
  readonly args: readonly string[];
}

/** Where POSIX systems look for commands when there is no PATH. */
const DEFAULT_PATH = '/usr/bin:/bin';

/**
 * bash stops a pipeline's failure from getting lost and, told so, reads no start-up file (it would
 * read `~/.bashrc` when its standard input is a socket); sh is the fallback.
 */
const SHELLS = [
  { name: 'bash', args: ['--norc', '-o', 'pipefail', '-c'] },
  { name: 'sh', args: ['-c'] },
];

/** The first shell found in a PATH, by its absolute path; undefined if there is none. */
export function findShell(path: string | undefined): Shell | undefined {
  const folders = (path ?? DEFAULT_PATH).split(':');
  for (const { name, args } of SHELLS) {
    for (const folder of folders) {
      const file = resolve(join(folder, name));
      if (isExecutable(file)) return { file, args };
    }
  }
  return undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not there, or not for us: the search goes on in the next folder.
    return false;
  }
}
