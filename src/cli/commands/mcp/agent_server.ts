import { existsSync } from 'node:fs';
import { openInput, openOutput } from '../../../backend/system/standard_streams.ts';
import { DEFAULT_FILE } from '../../command_line/default_file.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { findDirectory } from '../../driver/find_directory.ts';
import { enterDirectoryOfFile } from '../../driver/find_file.ts';
import { printMessage } from '../../output/messages/print_messages.ts';
import { EXIT, refuse, type Io } from '../../output/io.ts';
import { isTerminal } from '../../output/terminal.ts';

const REGISTER = "register the command 'cli mcp' with a coding agent, which starts it";

/** `mcp`: serves a coding agent on standard input and output until its host ends it. */
export async function agentServer(io: Io, options: Options): Promise<number> {
  if (options.file === '-') return refuse(io, ["the workflow file of 'mcp' cannot be standard input"]);
  if (isTerminal(io.stdin)) return refuse(io, [REGISTER]);
  const { serve } = await import('./mcp.cjs');
  const settings = { io, options: { ...(await enterRoot(io, options)), isFound: true } };
  const streams = { input: openInput(io.stdin), output: openOutput(io.stdout) };
  return new Promise((resolve) => serve({ ...settings, ...streams, exit: () => resolve(EXIT.ok) }));
}

/** Changes to the directory in which `run` would run commands. Its file is named, so that no call looks for another. */
async function enterRoot(io: Io, options: Options): Promise<Options> {
  if (options.isFileNamed || findDirectory(process.cwd()) === undefined) return options;
  if (!existsSync(DEFAULT_FILE)) {
    const entered = enterDirectoryOfFile(io);
    // Each call reports the problem.
    if (!entered.ok) return options;
    await printMessage(io, options, entered.value.message);
  }
  return { ...options, isFileNamed: true };
}
