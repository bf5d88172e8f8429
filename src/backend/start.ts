import { constants } from 'node:os';
import { x } from 'tinyexec';
import type { Exit, Request } from './port.ts';
import type { Shell } from './shell.ts';

/** The descriptors a command inherits: it reads and writes them itself, nothing passes through us. */
export type Descriptors = Readonly<{ stdin: number; stderr: number }>;

/**
 * A command that was started. `exited` settles when the shell has exited, whoever still holds its
 * output open: waiting for that would wait for every daemon that a step leaves behind.
 */
export type Started = Readonly<{ pid: number | undefined; exited: Promise<Exit> }>;

/** Starts a command in the shell. Whatever it prints goes to our standard error. */
export function start(shell: Shell, request: Request, { stdin, stderr }: Descriptors): Started {
  const stdio = [request.input === 'inherit' ? stdin : 'ignore', stderr, stderr] as const;
  const nodeOptions = { env: exactly(request.environment), stdio: [...stdio] };
  try {
    const { process: child } = x(shell.file, [...shell.args, request.command], { nodePath: false, nodeOptions });
    if (child === undefined) throw new Error('tinyexec started nothing');
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => {
        // A shell reports death by signal n as 128 + n.
        resolve({ kind: 'exited', code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'] });
      });
      child.once('error', ({ message }) => resolve({ kind: 'not started', reason: message }));
    });
    return { pid: child.pid, exited };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const reason = error.code === 'E2BIG' ? tooBig(request) : error.message;
    return { pid: undefined, exited: Promise.resolve({ kind: 'not started', reason }) };
  }
}

/** tinyexec lays what it is given over our own environment; undefined takes a name out of that. */
function exactly(environment: ReadonlyMap<string, string>): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = Object.create(null);
  for (const name of Object.keys(process.env)) env[name] = undefined;
  for (const [name, value] of environment) env[name] = value;
  return env;
}

/** Linux takes less than this many bytes in one argument or variable (MAX_ARG_STRLEN, execve(2)). */
const LIMIT = 131_072;

/** Says which part of a request was too big for the system. */
function tooBig({ command, environment }: Request): string {
  const sizes = [...environment].map(([name, value]) => ({ name, size: Buffer.byteLength(value) }));
  const { name, size } = sizes.reduce((largest, next) => (next.size > largest.size ? next : largest));
  const total = sizes.reduce((sum, next) => sum + next.name.length + next.size + 2, 0);
  const [bytes, limit] = [Buffer.byteLength(command), `the system takes less than ${LIMIT}`];
  if (bytes >= LIMIT) return `the command is ${bytes} bytes long; ${limit}`;
  const value = `the value of ${name} is ${size} bytes long`;
  return name.length + size + 2 > LIMIT
    ? `${value}; ${limit}`
    : `the environment is ${total} bytes in total, more than the system takes; ${value}`;
}
