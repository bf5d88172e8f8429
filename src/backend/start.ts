import { x } from 'tinyexec';
import type { Exit, Request } from './port.ts';
import type { Shell } from './shell.ts';
import { constants } from 'node:os';

/** The descriptors a command inherits: it reads and writes them itself, nothing passes through us. */
export interface Descriptors {
  readonly stdin: number;
  readonly stderr: number;
}

/** A command that was started. */
export interface Started {
  readonly pid: number | undefined;
  /**
   * Settles when the shell has exited, whoever still holds its output open; waiting for the output
   * to close would wait for every daemon that a step leaves behind.
   */
  readonly exited: Promise<Exit>;
}

/** Starts a command in the shell. Whatever it prints goes to our standard error. */
export function start(shell: Shell, request: Request, descriptors: Descriptors): Started {
  const { stdin, stderr } = descriptors;
  const input = request.input === 'inherit' ? stdin : 'ignore';
  try {
    const { process: child } = x(shell.file, [...shell.args, request.command], {
      nodePath: false,
      nodeOptions: {
        env: exactly(request.environment),
        stdio: [input, stderr, stderr],
        windowsHide: false,
      },
    });
    if (child === undefined) throw new Error('tinyexec started nothing');
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => {
        resolve({ kind: 'exited', code: code ?? signalCode(signal) });
      });
      child.once('error', (error) => resolve({ kind: 'not started', reason: error.message }));
    });
    return { pid: child.pid, exited };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const reason = error.code === 'E2BIG' ? tooBig(request) : error.message;
    return { pid: undefined, exited: Promise.resolve({ kind: 'not started', reason }) };
  }
}

/** A shell reports death by signal n as 128 + n. */
function signalCode(signal: NodeJS.Signals | null): number {
  if (signal === null) throw new Error('a process ends with an exit code or by a signal');
  return 128 + constants.signals[signal];
}

/** tinyexec lays what it is given over our own environment; undefined takes a name out of that. */
function exactly(environment: ReadonlyMap<string, string>): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = Object.create(null);
  for (const name of Object.keys(process.env)) env[name] = undefined;
  for (const [name, value] of environment) env[name] = value;
  return env;
}

/** Linux takes at most this many bytes in one argument or variable (MAX_ARG_STRLEN, execve(2)). */
const LONGEST_STRING = 131_072;

/** Says which part of a request was too big for the system. */
function tooBig(request: Request): string {
  const bytes = Buffer.byteLength(request.command);
  if (bytes >= LONGEST_STRING) {
    return `the command is ${bytes} bytes long; the system takes less than ${LONGEST_STRING}`;
  }
  let total = 0;
  let largest = { name: '', size: 0 };
  for (const [name, value] of request.environment) {
    const size = Buffer.byteLength(value);
    total += Buffer.byteLength(name) + size + 2;
    if (size > largest.size) largest = { name, size };
  }
  return largest.size + largest.name.length + 2 > LONGEST_STRING
    ? `the value of ${largest.name} is ${largest.size} bytes long; the system takes less than ${LONGEST_STRING}`
    : `the environment is ${total} bytes in total, more than the system takes; the largest variable is ${largest.name} with ${largest.size} bytes`;
}
