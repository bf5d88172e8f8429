import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { main } from '../../src/cli.ts';
import { folder, type Finished, type Surroundings } from './cli.ts';

/** What one call of the tool left, when it ran inside the process of the tests. */
export interface Returned {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The tool as a function: as good as a process for whatever starts none, and a hundred times faster. */
export type Tool = (
  args: readonly string[],
  given?: { readonly env?: Readonly<Record<string, string | undefined>>; readonly input?: string | Uint8Array },
) => Promise<Returned>;

/** These tests send no signals. */
function die(signal: string): never {
  throw new Error(`nobody sent ${signal}`);
}

/** The tool inside this process, on descriptors of real files. Its calls must not overlap. */
export function toolInProcess(t: TestContext): Tool {
  const path = folder(t);
  // Appending, so that after a truncation writing goes on at the start.
  const [stdout, stderr] = [join(path, 'stdout'), join(path, 'stderr')];
  const io = { stdout: openSync(stdout, 'a'), stderr: openSync(stderr, 'a') };
  t.after(() => {
    closeSync(io.stdout);
    closeSync(io.stderr);
  });
  return async (args, { env = {}, input = '' } = {}) => {
    ftruncateSync(io.stdout);
    ftruncateSync(io.stderr);
    writeFileSync(join(path, 'stdin'), input);
    const stdin = openSync(join(path, 'stdin'), 'r');
    try {
      const code = await main(args, { ...io, stdin, env, die });
      return { code, stdout: readFileSync(stdout, 'utf8'), stderr: readFileSync(stderr, 'utf8') };
    } finally {
      closeSync(stdin);
    }
  };
}

/** One call in a folder, told as a process would be. The environment is only what is given. */
export async function inProcess(
  t: TestContext,
  args: readonly string[],
  { cwd, env = {}, input = '' }: Surroundings,
): Promise<Finished> {
  const before = process.cwd();
  process.chdir(cwd);
  try {
    return { signal: null, ...(await toolInProcess(t)(args, { env, input })) };
  } finally {
    process.chdir(before);
  }
}
