import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { main } from '../../src/cli.ts';
import { folder, type Finished, type Surroundings } from './cli.ts';

/**
 * Runs the tool inside the process of the tests: for command lines that start no command, at a
 * tenth of what a process of its own costs. The environment is only what is given.
 */
export async function inProcess(
  t: TestContext,
  args: readonly string[],
  { cwd, env = {}, input = '' }: Surroundings,
): Promise<Finished> {
  const path = folder(t, { stdin: input });
  const stdin = openSync(join(path, 'stdin'), 'r');
  const stdout = openSync(join(path, 'stdout'), 'w');
  const stderr = openSync(join(path, 'stderr'), 'w');
  const io = { stdin, stdout, stderr, env, runId: 'test', die: () => 0 };
  const before = process.cwd();
  process.chdir(cwd);
  const code = await main(args, io);
  process.chdir(before);
  for (const descriptor of [stdin, stdout, stderr]) closeSync(descriptor);
  const text = (name: string): string => readFileSync(join(path, name), 'utf8');
  return { code, signal: null, stdout: text('stdout'), stderr: text('stderr') };
}
