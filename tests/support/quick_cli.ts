import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../src/cli.ts';
import { cliWithAnnouncements, withoutHelp, withoutTimes, type CommandOptions, type CommandResult } from './cli.ts';

/** The previous call: the directory of a process is common to all of its calls. */
let last: Promise<unknown> = Promise.resolve();

/**
 * The same as `cli`, for tests of what is printed: without a process of its own, which takes ten times longer, unless
 * TESTED_COMMAND names the tool. Not for tests of signals, descriptors, the terminal or memory.
 */
export async function quickCli(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const finished = await quickCliWithAnnouncements(args, options);
  return { ...finished, stderr: withoutHelp(finished.stderr) };
}

/** The same with all of standard error. Times of plain lines are `<time>`. */
export function quickCliWithAnnouncements(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  if (process.env['TESTED_COMMAND'] !== undefined) return cliWithAnnouncements(args, options);
  const call = last.then(() => inThisProcess(args, options));
  last = call.catch(() => undefined);
  return call;
}

async function inThisProcess(
  args: readonly string[],
  { cwd, env, input = '' }: CommandOptions,
): Promise<CommandResult> {
  const directory = mkdtempSync(join(tmpdir(), 'cli-call-'));
  const file = (name: string): string => join(directory, name);
  writeFileSync(file('stdin'), input);
  const [stdin, stdout, stderr] = [
    openSync(file('stdin'), 'r'),
    openSync(file('stdout'), 'a'),
    openSync(file('stderr'), 'a'),
  ];
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const code = await main(args, { stdin, stdout, stderr, env: { ...process.env, ...env }, die });
    const [printed, messages] = [readFileSync(file('stdout'), 'utf8'), readFileSync(file('stderr'), 'utf8')];
    return { code, signal: null, stdout: printed, stderr: withoutTimes(messages) };
  } finally {
    process.chdir(before);
    for (const descriptor of [stdin, stdout, stderr]) closeSync(descriptor);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Fails, because these tests send no signals. */
function die(signal: string): never {
  throw new Error(`unexpected ${signal}`);
}
