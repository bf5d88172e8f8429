import { readFileSync } from 'node:fs';

/**
 * The state letter that proc(5) has for a process, such as T for stopped; undefined when it is gone.
 * The process is given by its line of /proc/<pid>/stat: pids are reused, start times tell.
 */
export function processState(stat: string): string | undefined {
  const now = readIfThere(`/proc/${Number.parseInt(stat, 10)}/stat`);
  if (now === undefined || fields(now)[START_TIME] !== fields(stat)[START_TIME]) return undefined;
  const [state] = fields(now);
  return state === 'Z' || state === 'X' ? undefined : state;
}

/** Whether a process lives. Zombies do not. */
export function isAlive(pid: number): boolean {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat !== undefined && processState(stat) !== undefined;
}

/** The command line of a process if it still lives; kills it. */
export function endIfAlive(stat: string): string[] {
  if (processState(stat) === undefined) return [];
  const pid = Number.parseInt(stat, 10);
  const command = readIfThere(`/proc/${pid}/cmdline`) ?? '';
  process.kill(pid, 'SIGKILL');
  return [command.replaceAll('\0', ' ').trim()];
}

const START_TIME = 19;

/** Fields of proc(5) after the command's name, which may itself hold spaces. */
function fields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // The process is gone.
    return undefined;
  }
}
