import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A living process, as far as ending a tree of them needs to know it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** When it started, in whatever unit the system has: tells two processes with one pid apart. */
  readonly started: string;
}

/** How the living processes of this system are found. */
export interface ProcessTable {
  list(): ProcessEntry[];
  /** Whether the process is still the one that was listed. */
  isStill(entry: ProcessEntry): boolean;
  /** The environment a process was started with, as far as it can be read. */
  variables(pid: number): string[];
}

/** Linux: /proc, see proc(5). */
export const procTable: ProcessTable = {
  list: () =>
    readdirSync('/proc').flatMap((name) =>
      /^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : [],
    ),
  isStill: ({ pid, started }) => readStat(pid)?.started === started,
  variables: (pid) => readProc(pid, 'environ')?.split('\0') ?? [],
};

/** Elsewhere: ps, which shows parents, but no environments. */
export const psTable: ProcessTable = {
  list: () => psEntries(['-A']),
  isStill: ({ pid, started }) =>
    psEntries(['-p', String(pid)]).some((entry) => entry.started === started),
  variables: () => [],
};

/** The table for a platform, as `process.platform` names it. */
export function processTable(platform: string): ProcessTable {
  return platform === 'linux' ? procTable : psTable;
}

/** A zombie cannot be signalled and does nothing any more, so it is no entry. */
function readStat(pid: number): ProcessEntry | undefined {
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return undefined;
  // The second field is the command's name in brackets and may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent] = fields;
  const started = fields[19];
  if (state === 'Z' || state === 'X' || parent === undefined || started === undefined) {
    return undefined;
  }
  return { pid, parent: Number(parent), started };
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    // It has ended since it was listed, or belongs to somebody else.
    return undefined;
  }
}

function psEntries(selection: readonly string[]): ProcessEntry[] {
  const format = ['-o', 'pid=', '-o', 'ppid=', '-o', 'stat=', '-o', 'lstart='];
  const ps = spawnSync('ps', [...selection, ...format], { encoding: 'latin1' });
  return (ps.stdout ?? '').split('\n').flatMap((line) => {
    const [pid, parent, state, ...started] = line.trim().split(/\s+/);
    if (pid === undefined || parent === undefined || state === undefined) return [];
    if (state.startsWith('Z') || Number(pid) === ps.pid) return [];
    return [{ pid: Number(pid), parent: Number(parent), started: started.join(' ') }];
  });
}
