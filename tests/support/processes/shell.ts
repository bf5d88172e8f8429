import { COMMAND_LINE, finish, withoutHelp, type CommandResult, type CommandOptions } from '../cli.ts';

/** In front of a script: lets it call the tool as `cli`, whatever PATH is by then. */
const PREAMBLE = `cli() { ${COMMAND_LINE} "$@"; }\n`;

/**
 * Runs a bash script in which `cli` is the tool: for pipes, redirections and closed descriptors. Leaves
 * out what announces the steps.
 */
export async function script(text: string, surroundings: CommandOptions): Promise<CommandResult> {
  const finished = await finish('bash', ['-c', PREAMBLE + text], surroundings);
  const [stdout, stderr] = [withoutHelp(finished.stdout), withoutHelp(finished.stderr)];
  return { ...finished, stdout, stderr };
}

/** Options for tests of what only Linux has, such as /proc and /dev/full. */
export const LINUX = { skip: process.platform === 'linux' ? false : 'needs Linux' } as const;
