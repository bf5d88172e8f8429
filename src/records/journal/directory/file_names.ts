import { join } from 'node:path';

/** The log directory of a run. */
export function logDirectory(runs: string, run: string): string {
  return join(runs, run, 'logs');
}

/** The file name of a command's log. `command` is the number of the command in its session. */
export function logName(session: number, command: number): string {
  return `${session}-${command}.log`;
}

/** The path of the plan of a session. */
export function planPath(runs: string, run: string, session: number): string {
  return join(runs, run, `plan-${session}.json`);
}

/** The maximum size of a plan, in bytes. */
export const MAX_PLAN = 16 * 1024 * 1024;
