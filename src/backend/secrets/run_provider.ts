import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { formatDuration } from '../../ir/views/format_duration.ts';
import type { SecretProgram } from '../../ir/plan.ts';
import { failure, type Result } from '../../base/result.ts';
import type { ShellRunner } from '../process/shell_runner.ts';
import { delay } from '../system/sleep.ts';
import { systemMessage } from '../system/try_system_call.ts';

/** Maximum size of a secret, in bytes. */
export const SECRET_LIMIT = 64 * 1024;

/** Maximum size of an output in which a secret is found, in bytes. */
const OUTPUT_LIMIT = 16 * SECRET_LIMIT;

/** The turns of the event loop, of a millisecond at least, in which the output of an ended program may end. */
const DRAIN_TURNS = 50;

export const TOO_LARGE = 'gave more than 64 KiB';

/** The problem with a larger output, unless all of it is the secret. */
export const ENDLESS = 'gave more than 1 MiB';

/** The parts of the system that a provider needs: its environment, its standard input, and what ends it. */
export type ProviderPort = Readonly<{ env: NodeJS.ProcessEnv; stdin: number | 'ignore'; stderr: () => number }> &
  Readonly<{ attend: ShellRunner['attend'] }>;

/** A started program. `exited` gives its exit code, or the reason why it could not be started. */
type StartedProgram = Readonly<{ pid: number | undefined; stdout: Readable | null; exited: Promise<number | string> }>;

/**
 * Runs a program, and returns what it has printed until its own exit: a daemon may keep its output open. A problem
 * continues the name of the program.
 */
export async function runProvider({ command, timeout }: SecretProgram, port: ProviderPort): Promise<Result<Buffer>> {
  const program = startProgram(command, port);
  const chunks: Buffer[] = [];
  let size = 0;
  const exitCode = program.exited.then((end) => (typeof end === 'number' ? end : 0));
  const deadline = port.attend(program.pid, exitCode, timeout);
  program.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= OUTPUT_LIMIT) chunks.push(chunk);
    else deadline.cancel();
  });
  program.stdout?.once('error', () => program.stdout?.destroy());
  const reason = await deadline.ended();
  // What is in the pipe is read within a turn of the event loop. Only the output that a daemon keeps open does not end.
  for (let turn = 0; turn < DRAIN_TURNS && program.stdout?.destroyed === false; turn += 1) await delay(0);
  program.stdout?.destroy();
  const end = await program.exited;
  if (typeof end === 'string') return failure(end);
  if (size > OUTPUT_LIMIT) return failure(ENDLESS);
  if (reason !== undefined) return failure(`timed out after ${formatDuration(timeout)}`);
  return end === 0 ? { ok: true, value: Buffer.concat(chunks) } : failure(`failed with exit code ${end}`);
}

function startProgram([file = '', ...args]: readonly string[], { env, stdin, stderr }: ProviderPort): StartedProgram {
  try {
    const child = spawn(file, args, { env, stdio: [stdin, 'pipe', stderr()] });
    const exited = new Promise<number | string>((resolve) => {
      child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
      child.once('error', (error) => resolve(problemOf(error)));
    });
    return { pid: child.pid, stdout: child.stdout, exited };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { pid: undefined, stdout: null, exited: Promise.resolve(problemOf(error)) };
  }
}

/** Engines word these in different ways. */
const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['EACCES', 'permission denied'],
  ['E2BIG', 'its arguments and environment are too long'],
  ['ENOEXEC', 'it is no program'],
]);

function problemOf(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'was not found';
  return `could not be started: ${REASONS.get(code) ?? systemMessage(error)}`;
}
