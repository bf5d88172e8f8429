import { join } from 'node:path';

/** The log directory of a run. */
export function logDirectory(runs: string, run: string): string {
  return join(runs, run, 'logs');
}

/** The file name of a command's log. `command` is the number of the command in its session. */
export function logName(session: number, command: number): string {
  return `${session}-${command}.log`;
}
