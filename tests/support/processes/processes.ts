import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Where tests find processes: hidden, if they run without /proc (tests/support/without_proc). */
export const PROC = existsSync('/proc/hidden') ? '/proc/hidden' : '/proc';

/**
 * The state of a process as a letter of proc(5), such as T for stopped; undefined if the process has ended. The process is
 * identified by its line of /proc/<pid>/stat, because a pid may be reused, but not with the same start time.
 */
export function processState(stat: string): string | undefined {
  const now = readIfThere(`${PROC}/${Number.parseInt(stat, 10)}/stat`);
  if (now === undefined || fields(now)[START_TIME] !== fields(stat)[START_TIME]) return undefined;
  const [state] = fields(now);
  return state === 'Z' || state === 'X' ? undefined : state;
}

/** Whether a process lives. Zombies do not. */
export function isAlive(pid: number): boolean {
  const stat = readIfThere(`${PROC}/${pid}/stat`);
  return stat !== undefined && processState(stat) !== undefined;
}

/** The command line of a process, if it is alive. */
export function commandIfAlive(stat: string): string[] {
  if (processState(stat) === undefined) return [];
  const command = readIfThere(`${PROC}/${Number.parseInt(stat, 10)}/cmdline`) ?? '';
  // A process that has been killed gives up its memory, with its command line, before it is a zombie.
  return command === '' ? [] : [command.replaceAll('\0', ' ').trim()];
}

/** Kills a process if it is alive, and returns its command line. */
export function killIfAlive(stat: string): string[] {
  const command = commandIfAlive(stat);
  if (command.length > 0) process.kill(Number.parseInt(stat, 10), 'SIGKILL');
  return command;
}

/** Whether a child process is running, or how it has ended. */
export function describeState({ pid, exitCode, signalCode }: ChildProcess): string {
  const end = signalCode ?? exitCode;
  return end === null ? `process ${pid} is running` : `process ${pid} has ended with ${end}`;
}

const START_TIME = 19;

/** The fields of proc(5) after the name of the command, which may contain spaces. */
function fields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** A file of /proc; undefined if the process has ended. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}
