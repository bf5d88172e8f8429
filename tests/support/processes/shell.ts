import { existsSync } from 'node:fs';
import { COMMAND_LINE, finish, withoutHelp, type CommandResult, type CommandOptions } from '../cli.ts';

/** A prefix of a script that makes cli available as `cli`, regardless of PATH. */
const PREAMBLE = `cli() { ${COMMAND_LINE} "$@"; }\n`;

/**
 * Runs a bash script that can call `cli`, for pipes, redirections and closed descriptors. Announcements are removed.
 */
export async function script(text: string, surroundings: CommandOptions): Promise<CommandResult> {
  const finished = await finish('bash', ['-c', PREAMBLE + text], surroundings);
  const [stdout, stderr] = [withoutHelp(finished.stdout), withoutHelp(finished.stderr)];
  return { ...finished, stdout, stderr };
}

/** Options for tests of features that only Linux has, such as /dev/full. */
export const LINUX = { skip: process.platform === 'linux' ? false : 'needs Linux' } as const;

/** Options for tests of /proc itself, and of the processes that only it shows. */
export const HAS_PROC = { skip: existsSync('/proc/self/stat') ? false : 'needs /proc' } as const;
