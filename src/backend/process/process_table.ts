import { readdirSync, readFileSync } from 'node:fs';

/**
 * A living process. `started` is the start time in the system's own unit: it distinguishes two processes that had the
 * same pid one after the other.
 */
export type ProcessEntry = Readonly<{ pid: number; parent: number; group: number; started: string }>;

/** Signals that ask a process to end and leave it time to clean up. */
export type GentleSignal = 'SIGINT' | 'SIGHUP';

/** The living processes of the system. */
export type ProcessTable = Readonly<{
  /**
   * All processes, each read when it is asked for; where the system allows it, the newest first, and only those created
   * after a `generation`.
   */
  all: (since?: string) => Iterable<ProcessEntry>;
  find: (pid: number) => ProcessEntry | undefined;
  /** A value that changes whenever a process is created; undefined if the system does not provide one. */
  generation: () => string | undefined;
  /** The environment that a process was started with, as far as it is readable. */
  variables: (pid: number) => string[];
  /** Whether a process ignores a signal, as background jobs of a shell ignore SIGINT, and `nohup` SIGHUP. */
  ignores: (pid: number, signal: GentleSignal) => boolean;
  /**
   * Whether a Ctrl-C that reached this process came from the terminal, and so reached its commands too: the process
   * has a controlling terminal and is in the terminal's foreground process group.
   */
  isInForeground: () => boolean;
}>;

/** More than any pid: 2^22 is the limit of Linux, see proc(5) on pid_max. */
const PID_LIMIT = 2 ** 22 + 1;

/** SIGHUP and SIGINT have the numbers 1 and 2, and so the first two bits of a signal mask. */
const MASKS: Readonly<Record<GentleSignal, number>> = { SIGHUP: 0b01, SIGINT: 0b10 };

/** Linux: /proc, see proc(5). */
export const procTable: ProcessTable = {
  *all(since) {
    const pids = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
    const newest = Number(newestPid());
    // Pids are assigned in order and start again after their limit.
    const age = (pid: number): number => (pid <= newest ? newest - pid : newest - pid + PID_LIMIT);
    const isWanted = (pid: number): boolean => since === undefined || age(pid) < age(Number(since));
    for (const pid of pids.filter(isWanted).toSorted((one, other) => age(one) - age(other))) {
      const entry = readEntry(pid);
      if (entry !== undefined) yield entry;
    }
  },
  find: readEntry,
  generation: () => {
    const newest = newestPid();
    // Some sandboxes show 0 at all times.
    return newest === '0' ? undefined : newest;
  },
  variables: (pid) => readProc(pid, 'environ')?.split('\0') ?? [],
  ignores: (pid, signal) => {
    const digit = /^SigIgn:.*([\da-f])$/m.exec(readProc(pid, 'status') ?? '')?.[1] ?? '0';
    return (Number.parseInt(digit, 16) & MASKS[signal]) !== 0;
  },
  isInForeground: () => {
    const [, , group, , terminal, foreground] = statFields('self');
    return terminal !== '0' && foreground === group;
  },
};

/** The pid that was assigned last, the last field of /proc/loadavg. */
function newestPid(): string | undefined {
  return readFile('/proc/loadavg')?.trim().split(' ')[4];
}

/** A zombie is no entry: it does nothing any more and cannot be signalled. */
function readEntry(pid: number): ProcessEntry | undefined {
  const fields = statFields(pid);
  const [state, parent, group] = fields;
  const started = fields[19];
  if (state === 'Z' || state === 'X' || started === undefined) return undefined;
  return { pid, parent: Number(parent), group: Number(group), started };
}

/** Fields of /proc/PID/stat from the third, the state; the second may itself hold spaces and brackets. */
function statFields(pid: number | 'self'): string[] {
  const stat = readProc(pid, 'stat') ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readProc(pid: number | 'self', file: string): string | undefined {
  return readFile(`/proc/${pid}/${file}`);
}

function readFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process has ended since it was listed, or belongs to another user.
    return undefined;
  }
}
