import { readdirSync, readFileSync } from 'node:fs';

/**
 * A living process. `started` is the start time in the system's own unit: it distinguishes two processes that had the
 * same pid one after the other.
 */
export type ProcessEntry = Readonly<{ pid: number; parent: number; group: number; started: string }>;

/** The living processes of the system. */
export type ProcessTable = Readonly<{
  /** All processes, or one. */
  list: (pid?: number) => ProcessEntry[];
  /** The environment that a process was started with, as far as it is readable. */
  variables: (pid: number) => string[];
  /** Whether a process ignores SIGINT, as background jobs of a shell do. */
  ignoresInterrupt: (pid: number) => boolean;
  /**
   * Whether a Ctrl-C that reached this process came from the terminal, and so reached its commands too: the process
   * has a controlling terminal and is in the terminal's foreground process group.
   */
  isInForeground: () => boolean;
}>;

/** Linux: /proc, see proc(5). */
export const procTable: ProcessTable = {
  list: (pid) => {
    const pids = pid === undefined ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [pid];
    return pids.flatMap((name) => readEntry(Number(name)));
  },
  variables: (pid) => readProc(pid, 'environ')?.split('\0') ?? [],
  // The mask is hexadecimal. SIGINT is number 2: the second bit of the last digit.
  ignoresInterrupt: (pid) => /^SigIgn:.*[2367abef]$/m.test(readProc(pid, 'status') ?? ''),
  isInForeground: () => {
    const [, , group, , terminal, foreground] = statFields('self');
    return terminal !== '0' && foreground === group;
  },
};

/** A zombie is no entry: it does nothing any more and cannot be signalled. */
function readEntry(pid: number): ProcessEntry[] {
  const fields = statFields(pid);
  const [state, parent, group] = fields;
  const started = fields[19];
  if (state === 'Z' || state === 'X' || started === undefined) return [];
  return [{ pid, parent: Number(parent), group: Number(group), started }];
}

/** Fields of /proc/PID/stat from the third, the state; the second may itself hold spaces and brackets. */
function statFields(pid: number | 'self'): string[] {
  const stat = readProc(pid, 'stat') ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readProc(pid: number | 'self', file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    // The process has ended since it was listed, or belongs to another user.
    return undefined;
  }
}
