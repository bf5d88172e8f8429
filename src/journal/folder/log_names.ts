import { join } from 'node:path';

/** The folder of the logs of a run, in the folder of all runs. */
export function logFolder(runs: string, run: string): string {
  return join(runs, run, 'logs');
}

/** The file in it of a command, by its number in a session. */
export function logName(session: number, command: number): string {
  return `${session}-${command}.log`;
}
