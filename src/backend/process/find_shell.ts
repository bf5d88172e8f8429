import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** A shell and the arguments that stand before a command. */
export type Shell = Readonly<{ file: string; args: readonly string[] }>;

/** Where POSIX systems look for commands when there is no PATH. */
const DEFAULT_PATH = '/usr/bin:/bin';

/**
 * bash stops a pipeline's failure from getting lost and, told so, reads no start-up file (it would
 * read `~/.bashrc` when its standard input is a socket); sh is the fallback.
 */
const SHELLS = [
  { name: 'bash', args: ['--norc', '-o', 'pipefail', '-c', '--'] },
  { name: 'sh', args: ['-c', '--'] },
];

/** The first shell found in a PATH, by its absolute path; undefined if there is none. */
export function findShell(path = DEFAULT_PATH): Shell | undefined {
  const folders = path.split(':');
  return SHELLS.flatMap(({ name, args }) => {
    return folders.map((folder) => ({ file: resolve(folder, name), args }));
  }).find(({ file }) => isExecutable(file));
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
