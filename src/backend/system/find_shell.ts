import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** A shell, its arguments before the command, and its operands after the command: `$0` and `$@`. */
export type Shell = Readonly<{ file: string; args: readonly string[]; operands?: readonly string[] }>;

/** The shell with arguments for every command. `$0` keeps its default value. */
export function withArguments(shell: Shell, args: readonly string[]): Shell {
  return args.length === 0 ? shell : { ...shell, operands: [shell.file, ...args] };
}

/** The default search path of POSIX systems without PATH. */
const DEFAULT_PATH = '/usr/bin:/bin';

/**
 * bash with `pipefail`, so that a failure in a pipeline is not lost, and without start-up files: it would read
 * `~/.bashrc` if its standard input is a socket. sh is the fallback.
 */
const SHELLS = [
  { name: 'bash', args: ['--norc', '-o', 'pipefail', '-c', '--'] },
  { name: 'sh', args: ['-c', '--'] },
];

/** The absolute path of the first shell in a search path; undefined if there is none. */
export function findShell(path = DEFAULT_PATH): Shell | undefined {
  const directories = path.split(':');
  return SHELLS.flatMap(({ name, args }) => {
    return directories.map((directory) => ({ file: resolve(directory, name), args }));
  }).find(({ file }) => isExecutable(file));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Missing or not permitted: continues with the next directory.
    return false;
  }
}
