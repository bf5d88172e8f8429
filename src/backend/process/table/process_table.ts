import { readdirSync, readFileSync } from 'node:fs';

/**
 * A living process. `started` is the start time in the system's unit, which distinguishes processes that had the same
 * pid at different times. `state` is a letter of ps(1), such as T for stopped.
 */
export type ProcessEntry = Readonly<{ pid: number; parent: number; group: number; started: string; state: string }>;

/** Signals that give a process time to clean up. */
export type GentleSignal = 'SIGINT' | 'SIGHUP';

/** The living processes of the system. */
export type ProcessTable = Readonly<{
  /**
   * All processes, each read when the iteration reaches it. Where the system allows it, the newest come first, and only
   * those created after a `generation`.
   */
  all: (since?: string) => Iterable<ProcessEntry>;
  find: (pid: number) => ProcessEntry | undefined;
  /** A value that changes whenever a process is created; undefined if the system does not provide one. */
  generation: () => string | undefined;
  /** The initial environment of a process, as far as it is readable; there may be other words among it. */
  variables: (pid: number) => readonly string[];
  /** Whether a process ignores a signal. Background jobs of a shell ignore SIGINT, and with `nohup` SIGHUP. */
  ignores: (pid: number, signal: GentleSignal) => boolean;
  /**
   * Whether a Ctrl-C came from the terminal, and so also reached the commands: the process has a controlling terminal
   * and is in its foreground process group.
   */
  isInForeground: () => boolean;
  /** The running commands that this process has started: all that is seen if processes cannot be listed. */
  children?: Set<number>;
  /** The reason why processes could not be listed the last time. */
  problem?: string | undefined;
}>;

/** Larger than any pid: the limit of Linux is 2^22, see proc(5) on pid_max. */
const PID_LIMIT = 2 ** 22 + 1;

/** SIGHUP and SIGINT have the numbers 1 and 2, and so the lowest two bits of a signal mask. */
const MASKS: Readonly<Record<GentleSignal, number>> = { SIGHUP: 0b01, SIGINT: 0b10 };

/** Linux: /proc, see proc(5). */
export const procTable: ProcessTable = {
  *all(since) {
    const pids = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
    const newest = Number(newestPid());
    // Pids are assigned in order and wrap around at their limit.
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
    // Some sandboxes always show 0.
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

/** The last assigned pid: the last field of /proc/loadavg. */
function newestPid(): string | undefined {
  return readFile('/proc/loadavg')?.trim().split(' ')[4];
}

/** The entry of a process. Zombies have none: they do nothing and cannot be signalled. */
function readEntry(pid: number): ProcessEntry | undefined {
  const fields = statFields(pid);
  const [state, parent, group] = fields;
  const started = fields[19];
  if (state === undefined || state === 'Z' || state === 'X' || started === undefined) return undefined;
  return { pid, parent: Number(parent), group: Number(group), started, state };
}

/** The fields of /proc/PID/stat from the third one, the state. The second field may contain spaces and parentheses. */
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
