import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SIGNALS } from '../../src/backend/command_runner.ts';
import { main } from '../../src/cli.ts';
import {
  cliWithAnnouncements,
  temporaryDirectory,
  withoutHelp,
  withoutTimes,
  type CommandResult,
  type CommandOptions,
  type Cleaner,
} from './cli.ts';

/** The exit code and the output of a call in the process of the tests. */
export interface Returned {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** cli as a function, for calls that start no process. A hundred times faster than a process. */
export type Tool = (
  args: readonly string[],
  given?: { readonly env?: Readonly<Record<string, string | undefined>>; readonly input?: string | Uint8Array },
) => Promise<Returned>;

/** Fails, because these tests send no signals. */
function die(signal: string): never {
  throw new Error(`unexpected ${signal}`);
}

/**
 * cli in this process, with real files as descriptors. Calls must not overlap. Each has new files, because a file system
 * may write a truncated one to the disk when it is closed. `isMerged` returns both outputs as one, in their order.
 */
export function toolInProcess(t: Cleaner, isMerged = false): Tool {
  const path = temporaryDirectory(t);
  let calls = 0;
  return async (args, { env = {}, input = '' } = {}) => {
    calls += 1;
    const place = join(path, String(calls));
    const [stdin, stdout, stderr] = [`${place}.in`, `${place}.out`, `${place}.err`];
    writeFileSync(stdin, input);
    const errors = openSync(isMerged ? stdout : stderr, 'a');
    const io = { stdin: openSync(stdin, 'r'), stdout: openSync(stdout, 'a'), stderr: errors };
    const handlers = SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
    try {
      const code = await main(args, { ...io, env, die });
      return { code, stdout: readFileSync(stdout, 'utf8'), stderr: isMerged ? '' : readFileSync(stderr, 'utf8') };
    } finally {
      // A run handles signals until its process has ended.
      for (const [signal, others] of handlers) {
        for (const own of process.listeners(signal)) if (!others.includes(own)) process.removeListener(signal, own);
      }
      for (const descriptor of Object.values(io)) closeSync(descriptor);
      for (const file of [stdin, stdout, stderr]) rmSync(file, { force: true });
    }
  };
}

/** One call in a directory, with the result of a process. The environment contains only `env`. */
export async function inProcess(
  t: Cleaner,
  args: readonly string[],
  { cwd, env = {}, input = '' }: CommandOptions,
  tool = toolInProcess(t),
): Promise<CommandResult> {
  const before = process.cwd();
  process.chdir(cwd);
  try {
    return { signal: null, ...(await tool(args, { env, input })) };
  } finally {
    process.chdir(before);
  }
}

/** Variables with an effect on a process only: the place of temporary files, and commands for CI, which need a pipe. */
const OF_A_PROCESS = ['TMPDIR', 'GITHUB_ACTIONS', 'GITLAB_CI'];

/** The previous call: the directory of a process is common to all of its calls. */
let last: Promise<unknown> = Promise.resolve();

/**
 * The same as `cli`, for tests of what is printed: without a process of its own, which takes ten times longer, unless
 * TESTED_COMMAND names the tool or a variable needs a process. Not for tests of signals, descriptors, the terminal or
 * memory.
 */
export async function quickCli(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const finished = await quickCliWithAnnouncements(args, options);
  return { ...finished, stderr: withoutHelp(finished.stderr) };
}

/** The same with all of standard error. Times of plain lines are `<time>`. */
export function quickCliWithAnnouncements(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const { env = {} } = options;
  const isProcess = process.env['TESTED_COMMAND'] !== undefined || OF_A_PROCESS.some((name) => env[name] !== undefined);
  if (isProcess) return cliWithAnnouncements(args, options);
  const call = last.then(() => inThisProcess(args, options));
  last = call.catch(() => undefined);
  return call;
}

async function inThisProcess(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const cleanups: (() => void)[] = [];
  try {
    const env = { ...process.env, ...options.env };
    const result = await inProcess({ after: (work) => cleanups.push(work) }, args, { ...options, env });
    return { ...result, stderr: withoutTimes(result.stderr) };
  } finally {
    for (const work of cleanups) work();
  }
}
