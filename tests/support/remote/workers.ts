import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { COMMAND, IS_STANDALONE, ROOT, temporaryDirectory, withoutTimes, type CommandResult } from '../cli.ts';
import { describeState } from '../processes/processes.ts';
import { atTimeLimit, until } from '../until.ts';
import { callClient, type Client } from './client.ts';
import { serverFiles, type Server } from './server.ts';

/** The directory of the package for runs on other machines. */
export const ENGINE = join(ROOT, 'packages/postgres');

/** The time limit of a test with workers on a busy machine, in milliseconds. Alone, the slowest takes 20 seconds. */
const TIMEOUT = 240_000;

/** Options of a test that needs a database. It is skipped if the packages are not installed. */
export function needsPostgres(): { readonly skip?: string; readonly timeout: number } {
  if (IS_STANDALONE) return { skip: 'the executable has no workers', timeout: TIMEOUT };
  const isThere = serverFiles(ROOT) !== undefined && existsSync(join(ENGINE, 'dist/index.cjs'));
  const skip = isThere ? {} : { skip: 'run node scripts/setup.mjs packages/postgres, and build' };
  return { ...skip, timeout: TIMEOUT };
}

/** The environment of a process that uses the package with other settings: those of `createEngine`. */
export function engineWith(
  t: TestContext,
  settings: Readonly<Record<string, unknown>>,
): Readonly<{ CLI_ENGINE: string }> {
  const [file, values] = [join(ENGINE, 'dist/index.cjs'), settings].map((value) => JSON.stringify(value));
  const text = `exports.engine = require(${file}).createEngine(${values});`;
  return { CLI_ENGINE: temporaryDirectory(t, { 'dist/index.cjs': text }) };
}

/** A running process of cli. */
export type Running = Readonly<{
  child: ChildProcess;
  stdout: () => string;
  /** All of standard error so far. Times of plain lines are `<time>`. */
  stderr: () => string;
  /** Waits until standard error contains a text. */
  says: (text: string) => Promise<void>;
  ended: Promise<CommandResult>;
}>;

/** A call in this process changes its variables for a while. */
const SURROUNDINGS = { ...process.env };

const environment = (env: Readonly<Record<string, string | undefined>> = {}): NodeJS.ProcessEnv => ({
  ...SURROUNDINGS,
  NODE_EXTRA_CA_CERTS: undefined,
  CLI_ENGINE: ENGINE,
  ...env,
});

/** Starts cli with the package for runs on other machines. It is killed at the end of the test. */
export function start(
  t: TestContext,
  args: readonly string[],
  cwd: string,
  env?: Readonly<Record<string, string | undefined>>,
): Running {
  const [file, ...first] = COMMAND;
  const child = spawn(file, [...first, ...args], { cwd, env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<CommandResult>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr: withoutTimes(stderr) }));
  });
  atTimeLimit(t, () => `${describeState(child)}: cli ${args.join(' ')}\n${stderr}`);
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const says = (text: string): Promise<void> =>
    until(
      () => withoutTimes(stderr).includes(text),
      () => `${text} in:\n${stderr}`,
    );
  return { child, stdout: () => stdout, stderr: () => withoutTimes(stderr), says, ended };
}

/** `lease` is the number of seconds after which a worker without a connection counts as lost. */
type WorkerOptions = Readonly<{
  flags?: readonly string[];
  env?: Readonly<Record<string, string | undefined>>;
  lease?: number;
}>;

/**
 * Starts a worker, and waits until it accepts runs. A killed worker counts as lost in two seconds, whatever its lease.
 * With a short lease, so may one that is slow.
 */
export async function startWorker(
  t: TestContext,
  { url }: Server,
  cwd: string,
  { flags = [], env = {}, lease = 60 }: WorkerOptions = {},
): Promise<Running> {
  const worker = start(t, ['worker', '--on', url, '--lease', String(lease), ...flags], cwd, env);
  await worker.says(' is ready: it takes runs ');
  return worker;
}

/**
 * Calls cli with the package in this process. A client that receives a signal needs a process of its own, which `start`
 * creates.
 */
export function startClient(
  args: readonly string[],
  cwd: string,
  env?: Readonly<Record<string, string | undefined>>,
): Client {
  return callClient(args, cwd, environment(env));
}

/** Calls cli in this process to its end, with all of standard error. Times of plain lines are `<time>`. */
export function remoteCli(
  args: readonly string[],
  cwd: string,
  env?: Readonly<Record<string, string | undefined>>,
): Promise<CommandResult> {
  return startClient(args, cwd, env).ended;
}
