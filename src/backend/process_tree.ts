import { isMarkerName } from './base_environment.ts';
import type { ProcessEntry, ProcessTable } from './process_table.ts';
import { sleepSync } from './sleep.ts';

/** How long killed processes may take to be gone, in milliseconds; one stuck in the kernel never is. */
const KILL_PATIENCE = 2000;

/** All processes of one run: our descendants, those that carry its marker, and their descendants. */
export interface ProcessTree {
  /**
   * Sends a signal once to every process that belongs to this run itself; a run inside this run
   * gets it through its runner. SIGCONT follows, because a stopped process cannot react.
   */
  signal(signal: NodeJS.Signals): void;
  /** Whether anything of the run is left. */
  isEmpty(): boolean;
  /** Kills all that is left, what is being forked meanwhile too. Returns when none is left. */
  kill(): void;
}

/** `marker` is the name of the run's marker variable, `inherited` the names in our own environment. */
export function processTree(
  table: ProcessTable,
  self: number,
  marker: string,
  inherited: ReadonlySet<string>,
): ProcessTree {
  /** By pid and start, so that nothing gets the same signal twice. */
  const sent = new Set<string>();

  const send = (entry: ProcessEntry, signal: NodeJS.Signals): void => {
    if (!table.isStill(entry)) return;
    try {
      process.kill(entry.pid, signal);
    } catch {
      // It ended in this very moment, or may not be signalled by us (it changed its user).
    }
  };
  const members = (): { entry: ProcessEntry; names: readonly string[] }[] => {
    const processes = table.list().filter(({ pid }) => pid !== self);
    const children = new Map<number, ProcessEntry[]>();
    for (const entry of processes) {
      const siblings = children.get(entry.parent);
      if (siblings === undefined) children.set(entry.parent, [entry]);
      else siblings.push(entry);
    }
    const found = new Map<number, { entry: ProcessEntry; names: readonly string[] }>();
    const queue: ProcessEntry[] = [...(children.get(self) ?? [])];
    const namesOf = new Map<number, readonly string[]>();
    for (const entry of processes) {
      const names = table.variables(entry.pid).flatMap(variableName).filter(isMarkerName);
      namesOf.set(entry.pid, names);
      if (names.includes(marker)) queue.push(entry);
    }
    for (const entry of queue) {
      if (found.has(entry.pid)) continue;
      found.set(entry.pid, { entry, names: namesOf.get(entry.pid) ?? [] });
      queue.push(...(children.get(entry.pid) ?? []));
    }
    return [...found.values()];
  };

  return {
    signal(signal) {
      for (const { entry, names } of members()) {
        const key = `${signal} ${entry.pid} ${entry.started}`;
        const foreign = names.some((name) => name !== marker && !inherited.has(name));
        if (foreign || sent.has(key)) continue;
        sent.add(key);
        send(entry, signal);
        send(entry, 'SIGCONT');
      }
    },
    isEmpty: () => members().length === 0,
    kill() {
      const deadline = performance.now() + KILL_PATIENCE;
      for (let left = members(); left.length > 0; left = members()) {
        // Stopped first, so that none can fork while the others are being killed.
        for (const { entry } of left) send(entry, 'SIGSTOP');
        for (const { entry } of members()) send(entry, 'SIGKILL');
        if (performance.now() > deadline) return;
        sleepSync(5);
      }
    },
  };
}

function variableName(variable: string): string[] {
  const end = variable.indexOf('=');
  return end === -1 ? [] : [variable.slice(0, end)];
}
