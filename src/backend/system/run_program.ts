import { x, xSync } from 'tinyexec';
import { failure, type Result } from '../../base/result.ts';

/** The output of a program and its exit code (undefined after a signal), or the reason why it could not be started. */
export type ProgramOutput = Result<
  Readonly<{ pid: number | undefined; exitCode: number | undefined; stdout: string; stderr: string }>
>;

/**
 * The variables that a program has in addition, the time in milliseconds after which it is killed (0 for never), and its
 * standard input: a descriptor, or a text, which is empty by default.
 */
type ProgramLimits = Readonly<{
  env: Readonly<Record<string, string>>;
  timeout: number;
  stdin: number | 'pipe';
  input: string;
}>;

/** The most bytes of output that are read: those of the largest workflow file, and more than any process table. */
const MAX_OUTPUT = 32 * 1024 * 1024;

/**
 * Runs a program to its end and reads its output as UTF-8. A failure is returned like any other result. The program
 * inherits the environment unchanged, without `node_modules/.bin` in PATH.
 *
 * Synchronous: the process table is read in signal handlers, and nothing may happen between reading and signalling.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  { env = {}, timeout = 0, stdin = 'pipe', input = '' }: Partial<ProgramLimits> = {},
): ProgramOutput {
  try {
    const { pid, exitCode, stdout, stderr } = xSync(file, args, {
      nodePath: false,
      throwOnError: false,
      nodeOptions: {
        maxBuffer: MAX_OUTPUT,
        env,
        timeout,
        input,
        killSignal: 'SIGKILL',
        stdio: [stdin, 'pipe', 'pipe'],
      },
    });
    return { ok: true, value: { pid, exitCode, stdout, stderr } };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return failure(error.code === 'ETIMEDOUT' ? `${file} did not end within ${timeout / 1000} s` : error.message);
  }
}

/** The directory of a program, and the variables that it has in addition. */
type ProgramOptions = Readonly<{ cwd: string; env: Readonly<Record<string, string>> }>;

/** The same without blocking this process, for programs that may take long. */
export async function startProgram(
  file: string,
  args: readonly string[],
  { cwd, env }: ProgramOptions,
): Promise<ProgramOutput> {
  const program = x(file, args, { nodePath: false, throwOnError: false, nodeOptions: { cwd, env } });
  try {
    const { exitCode, stdout, stderr } = await program;
    return { ok: true, value: { pid: program.pid, exitCode, stdout, stderr } };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return failure(error.message);
  }
}
