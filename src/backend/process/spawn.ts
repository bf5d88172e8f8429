import { spawn, type SpawnOptions } from 'node:child_process';
import { accessSync, constants as access, statSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import type { Exit, CommandRequest } from '../command_runner.ts';
import type { Shell } from '../system/find_shell.ts';
import { systemMessage } from '../system/try_system_call.ts';

/** The descriptors that a command inherits and uses directly: no byte passes through this process. */
export type Descriptors = Readonly<{ stdin: number; stderr: number | 'ignore' }>;

/**
 * A started command. `exited` settles when the shell has exited, even if another process still holds its output open:
 * waiting for the output would wait for every daemon that a step starts.
 */
export type SpawnedCommand = Readonly<{ pid: number | undefined; exited: Promise<Exit>; stdout: Readable | null }>;

/**
 * Starts a command in the shell. Its standard output and standard error go to the `stderr` descriptor, except that the
 * standard output of a command with outputs goes to `stdout`. The variable `marker` gets a value for this command.
 */
export function spawnCommand(
  shell: Shell,
  request: CommandRequest,
  { stdin, stderr }: Descriptors,
  marker: string,
): SpawnedCommand {
  const input = request.input === 'inherit' ? stdin : 'ignore';
  const output = request.outputs.length === 0 ? stderr : 'pipe';
  const stdio: SpawnOptions['stdio'] = [input, output, stderr];
  const env = toNodeEnvironment(request.environment);
  // Most commands share the object: a copy for each takes longer than the rest of the start.
  env[marker] = markerValue(request);
  const options: SpawnOptions = { env, stdio };
  const problem = request.dir === null ? undefined : directoryProblem(request.dir);
  if (problem !== undefined) return notStarted(problem);
  if (request.dir !== null) options.cwd = request.dir;
  const isInBackground = request.background !== undefined;
  if (isInBackground) options.detached = true;
  try {
    const proto = request.environment.get('__proto__');
    // Bun, the runtime of the standalone executable, drops a variable of this name. env(1) sets it.
    const [file, first] = proto === undefined ? [shell.file, []] : ['/usr/bin/env', [`__proto__=${proto}`, shell.file]];
    const args = [...first, ...shellArguments(shell, request)];
    if (globalThis.Bun !== undefined && output !== 'pipe' && !isInBackground) {
      const child = globalThis.Bun.spawn([file, ...args], options);
      return { pid: child.pid, exited: child.exited.then((code) => ({ kind: 'exited', code })), stdout: null };
    }
    const child = spawn(file, args, options);
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => {
        // A shell reports death by signal n as 128 + n.
        resolve({ kind: 'exited', code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'] });
      });
      child.once('error', ({ message }) => resolve({ kind: 'not started', reason: message }));
    });
    return { pid: child.pid, exited, stdout: child.stdout };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return notStarted(error.code === 'E2BIG' ? describeTooLarge(request) : error.message);
  }
}

/** The arguments of the shell. `-e` is added to the last option, because long options must come first. */
function shellArguments({ args, operands = [] }: Shell, { errexit, command }: CommandRequest): readonly string[] {
  return [...(errexit ? args.map((arg) => (arg === '-c' ? '-ec' : arg)) : args), command, ...operands];
}

/** The value of the marker, which separates the processes of a command from leftovers of earlier commands. */
export function markerValue({ number }: CommandRequest): string {
  return String(number);
}

function notStarted(reason: string): SpawnedCommand {
  return { pid: undefined, exited: Promise.resolve({ kind: 'not started', reason }), stdout: null };
}

/** The reason why a command cannot run in a directory: the system's own error would name the shell. */
function directoryProblem(dir: string): string | undefined {
  try {
    if (!statSync(dir).isDirectory()) return `its dir '${dir}' is not a directory`;
    accessSync(dir, access.X_OK);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'ENOENT') return `its dir '${dir}' does not exist`;
    return `its dir '${dir}' cannot be entered: ${systemMessage(error)}`;
  }
}

const converted = new WeakMap<ReadonlyMap<string, string>, NodeJS.ProcessEnv>();

/** An environment in Node's form, converted once for all commands that share it. */
function toNodeEnvironment(environment: ReadonlyMap<string, string>): NodeJS.ProcessEnv {
  const found = converted.get(environment);
  if (found !== undefined) return found;
  // Without a prototype, `__proto__` is an ordinary name.
  const env: NodeJS.ProcessEnv = Object.create(null);
  for (const [name, value] of environment) env[name] = value;
  converted.set(environment, env);
  return env;
}

/** Linux accepts fewer bytes in one argument or variable (MAX_ARG_STRLEN, execve(2)). */
const ARGUMENT_LIMIT = 131_072;

/** The part of a request that exceeds a limit of the system. */
function describeTooLarge({ command, environment, references }: CommandRequest): string {
  const sizes = [...environment].map(([name, value]) => ({ name, size: Buffer.byteLength(value) }));
  const { name, size } = sizes.reduce((largest, next) => (next.size > largest.size ? next : largest));
  const total = sizes.reduce((sum, next) => sum + next.name.length + next.size + 2, 0);
  const [bytes, limit] = [Buffer.byteLength(command), `the system takes less than ${ARGUMENT_LIMIT}`];
  if (bytes >= ARGUMENT_LIMIT) return `the command is ${bytes} bytes long; ${limit}`;
  const value = `the value of ${references.get(name) ?? name} is ${size} bytes long`;
  return name.length + size + 2 > ARGUMENT_LIMIT
    ? `${value}; ${limit}`
    : `the environment is ${total} bytes in total, more than the system takes; ${value}`;
}
