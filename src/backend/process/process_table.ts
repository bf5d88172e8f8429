import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * A living process, as far as ending a tree of them needs to know it. When it started, in whatever
 * unit the system has, tells two processes apart that had the same pid one after the other.
 */
export type ProcessEntry = Readonly<{ pid: number; parent: number; group: number; started: string }>;

/** How the living processes of a system are found. */
export type ProcessTable = Readonly<{
  /** All processes, or one. */
  list: (pid?: number) => ProcessEntry[];
  /** The environment a process was started with, as far as it can be read. */
  variables: (pid: number) => string[];
  /** Whether a process ignores SIGINT, as a shell makes background jobs do. */
  ignoresInterrupt: (pid: number) => boolean;
}>;

/** Linux: /proc, see proc(5). */
export const procTable: ProcessTable = {
  list: (pid) => {
    const pids = pid === undefined ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [pid];
    return pids.flatMap((name) => readStat(Number(name)));
  },
  variables: (pid) => readProc(pid, 'environ')?.split('\0') ?? [],
  // The mask is in hexadecimal, and SIGINT, number 2, the second bit of its last digit.
  ignoresInterrupt: (pid) => /^SigIgn:.*[2367abef]$/m.test(readProc(pid, 'status') ?? ''),
};

/** Elsewhere: ps, which shows parents, but no environments. */
export const psTable: ProcessTable = {
  list: (pid) => {
    const format = ['-o', 'pid=,ppid=,pgid=,stat=,lstart='];
    const selection = pid === undefined ? ['-A'] : ['-p', String(pid)];
    const ps = spawnSync('ps', [...selection, ...format], { encoding: 'latin1' });
    return (ps.stdout ?? '').split('\n').flatMap((line) => {
      const [id, parent, group, state, ...started] = line.trim().split(/\s+/);
      if (state === undefined || state.startsWith('Z') || Number(id) === ps.pid) return [];
      return [{ pid: Number(id), parent: Number(parent), group: Number(group), started: started.join(' ') }];
    });
  },
  variables: () => [],
  ignoresInterrupt: () => false,
};

/** A zombie cannot be signalled and does nothing any more, so it is no entry. */
function readStat(pid: number): ProcessEntry[] {
  // The second field is the command's name in brackets and may itself hold spaces and brackets.
  const fields =
    readProc(pid, 'stat')
      ?.replace(/^.*\) /s, '')
      .split(' ') ?? [];
  const [state, parent, group] = fields;
  const started = fields[19];
  if (state === 'Z' || state === 'X' || started === undefined) return [];
  return [{ pid, parent: Number(parent), group: Number(group), started }];
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    // It has ended since it was listed, or belongs to somebody else.
    return undefined;
  }
}
