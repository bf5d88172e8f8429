import { isMarkerName, markerPid } from './base_environment.ts';
import type { ProcessEntry, ProcessTable } from './process_table.ts';
import { sleepSync } from '../system/sleep.ts';

/** How long killed processes may take to be gone, in milliseconds; one stuck in the kernel never is. */
const KILL_TIMEOUT = 2000;

/**
 * Where a tree begins: that of a run at our children, that of a command at its process; and at all that carry the
 * run's marker, for a command with the value that it got for itself.
 */
export type Root = Readonly<
  { marker: string } & ({ kind: 'run' } | { kind: 'command'; pid: number | undefined; value: string })
>;

/** All processes of one run, or of one of its commands, and their descendants. */
export type ProcessTree = Readonly<{
  /**
   * Sends a signal once to every process that belongs to this run itself, or only to those that
   * have not heard a Ctrl-C; a run inside this run gets it through its runner, while that lives.
   * SIGCONT follows, because a stopped process cannot react.
   */
  signal: (signal: NodeJS.Signals, whom: 'all' | 'unsignalled') => void;
  /** Whether nothing of the run is left, or nothing that has heard a Ctrl-C. */
  isEmpty: (whom: 'all' | 'signalled') => boolean;
  /** Kills all that is left, what is being forked meanwhile too. Returns when none is left. */
  kill: () => void;
}>;

/** A signal for a process, which its start tells from others of the same number. */
const key = (signal: string, { pid, started }: ProcessEntry): string => `${signal} ${pid} ${started}`;

/**
 * `self` is our own process, which is no part of any tree, `inherited` has the names in its environment. `sent` is kept
 * by the trees of one run together, so that nothing gets the same signal twice: not from two of them either.
 */
export function processTree(
  table: ProcessTable,
  self: number,
  root: Root,
  inherited: ReadonlySet<string>,
  sent: Set<string>,
): ProcessTree {
  const { marker } = root;
  const markers = ({ pid }: ProcessEntry): string[] =>
    table
      .variables(pid)
      .map((variable) => variable.split('=')[0] ?? '')
      .filter(isMarkerName);
  const isForeign = (entry: ProcessEntry): boolean =>
    markers(entry).some((name) => name !== marker && !inherited.has(name) && table.list(markerPid(name)).length > 0);
  /** Whether a Ctrl-C, from the terminal to our process group or from us, was heard. */
  const heardInterrupt = (entry: ProcessEntry): boolean => {
    const got = entry.group === table.list(self)[0]?.group || sent.has(key('SIGINT', entry));
    return got && !table.ignoresInterrupt(entry.pid);
  };

  const send = ({ pid, started }: ProcessEntry, signal: NodeJS.Signals): void => {
    if (table.list(pid)[0]?.started !== started) return;
    try {
      process.kill(pid, signal);
    } catch {
      // It ended in this very moment, or may not be signalled by us (it changed its user).
    }
  };
  /** Another process may get the pid of a command that has ended. */
  const first = root.kind === 'command' && root.pid !== undefined ? table.list(root.pid)[0]?.started : undefined;
  const isRoot = (entry: ProcessEntry): boolean =>
    root.kind === 'run'
      ? entry.parent === self || markers(entry).includes(marker)
      : (entry.pid === root.pid && entry.started === first) ||
        table.variables(entry.pid).includes(`${marker}=${root.value}`);
  const members = (): Set<ProcessEntry> => {
    const processes = table.list().filter(({ pid }) => pid !== self);
    const found = new Set(processes.filter(isRoot));
    // What is added to a set while it is gone through is gone through too.
    for (const { pid } of found) for (const entry of processes) if (entry.parent === pid) found.add(entry);
    return found;
  };

  return {
    signal(signal, whom) {
      for (const entry of members()) {
        if (isForeign(entry) || sent.has(key(signal, entry)) || (whom === 'unsignalled' && heardInterrupt(entry)))
          continue;
        sent.add(key(signal, entry));
        send(entry, signal);
        send(entry, 'SIGCONT');
      }
    },
    isEmpty: (whom) => ![...members()].some((entry) => whom === 'all' || heardInterrupt(entry)),
    kill() {
      const deadline = performance.now() + KILL_TIMEOUT;
      for (let left = members(); left.size > 0 && performance.now() < deadline; left = members()) {
        // Stopped first, so that none can fork while the others are being killed.
        for (const entry of left) send(entry, 'SIGSTOP');
        for (const entry of members()) send(entry, 'SIGKILL');
        sleepSync(5);
      }
    },
  };
}
