import { isMarkerName, markerPid } from './base_environment.ts';
import type { ProcessEntry, ProcessTable } from './process_table.ts';
import { sleepSync } from '../system/sleep.ts';

/** How long killed processes may take to disappear, in milliseconds; one that is stuck in the kernel never does. */
const KILL_TIMEOUT = 2000;

/**
 * The roots of a tree. For a run: the children of this process. For a command: its process. For both, every process
 * with the run's marker in its environment; for a command, only with the value that is the command's own.
 */
export type Root = Readonly<
  { marker: string } & ({ kind: 'run' } | { kind: 'command'; pid: number | undefined; value: string })
>;

/** All processes of a run, or of one of its commands, and their descendants. */
export type ProcessTree = Readonly<{
  /**
   * Sends a signal once to every process of the tree, or only to those that have not received a Ctrl-C. A run inside
   * this run gets it through its runner, while that lives. SIGCONT follows, because a stopped process cannot react.
   */
  signal: (signal: NodeJS.Signals, scope: 'all' | 'unsignalled') => void;
  /** Whether no process is left, or none that has received a Ctrl-C. */
  isEmpty: (scope: 'all' | 'signalled') => boolean;
  /** Kills every process of the tree, including those being forked meanwhile. Returns when none is left. */
  kill: () => void;
}>;

/** A signal to one process. */
const delivery = (signal: string, { pid, started }: ProcessEntry): string => `${signal} ${pid} ${started}`;

/** A tree whose processes are found by their marker and their parents. */
export class MarkedTree implements ProcessTree {
  readonly #table: ProcessTable;
  readonly #self: number;
  readonly #root: Root;
  readonly #inherited: ReadonlySet<string>;
  readonly #sent: Set<string>;
  /** The start time of a command's process: another process may get its pid once the command has ended. */
  readonly #started: string | undefined;

  /**
   * `self` is the pid of this process, which is no part of any tree; `inherited` holds the names in its environment.
   * The trees of one run share `sent`, so that no process gets a signal twice.
   */
  constructor(table: ProcessTable, self: number, root: Root, inherited: ReadonlySet<string>, sent: Set<string>) {
    this.#table = table;
    this.#self = self;
    this.#root = root;
    this.#inherited = inherited;
    this.#sent = sent;
    if (root.kind === 'command' && root.pid !== undefined) this.#started = table.list(root.pid)[0]?.started;
  }

  signal(signal: NodeJS.Signals, scope: 'all' | 'unsignalled'): void {
    for (const entry of this.#members()) {
      if (this.#isOfInnerRun(entry) || this.#sent.has(delivery(signal, entry))) continue;
      if (scope === 'unsignalled' && this.#isSignalled(entry)) continue;
      this.#sent.add(delivery(signal, entry));
      this.#send(entry, signal);
      this.#send(entry, 'SIGCONT');
    }
  }

  isEmpty(scope: 'all' | 'signalled'): boolean {
    return ![...this.#members()].some((entry) => scope === 'all' || this.#isSignalled(entry));
  }

  kill(): void {
    const deadline = performance.now() + KILL_TIMEOUT;
    for (let left = this.#members(); left.size > 0 && performance.now() < deadline; left = this.#members()) {
      // Stopped first, so that none can fork while the others are being killed.
      for (const entry of left) this.#send(entry, 'SIGSTOP');
      for (const entry of this.#members()) this.#send(entry, 'SIGKILL');
      sleepSync(5);
    }
  }

  #members(): Set<ProcessEntry> {
    const processes = this.#table.list().filter(({ pid }) => pid !== this.#self);
    const found = new Set(processes.filter((entry) => this.#isRoot(entry)));
    // The loop also visits what it adds to the set.
    for (const { pid } of found) for (const entry of processes) if (entry.parent === pid) found.add(entry);
    return found;
  }

  #isRoot(entry: ProcessEntry): boolean {
    const root = this.#root;
    if (root.kind === 'run') return entry.parent === this.#self || this.#markers(entry).includes(root.marker);
    const isCommand = entry.pid === root.pid && entry.started === this.#started;
    return isCommand || this.#table.variables(entry.pid).includes(`${root.marker}=${root.value}`);
  }

  /** Whether a process belongs to a run inside this run, whose runner is alive. */
  #isOfInnerRun(entry: ProcessEntry): boolean {
    return this.#markers(entry).some(
      (name) =>
        name !== this.#root.marker && !this.#inherited.has(name) && this.#table.list(markerPid(name)).length > 0,
    );
  }

  #markers({ pid }: ProcessEntry): string[] {
    return this.#table
      .variables(pid)
      .map((variable) => variable.split('=')[0] ?? '')
      .filter(isMarkerName);
  }

  /** Whether a process has received a Ctrl-C, from the terminal with this process group or from `signal`. */
  #isSignalled(entry: ProcessEntry): boolean {
    const received =
      entry.group === this.#table.list(this.#self)[0]?.group || this.#sent.has(delivery('SIGINT', entry));
    return received && !this.#table.ignoresInterrupt(entry.pid);
  }

  #send({ pid, started }: ProcessEntry, signal: NodeJS.Signals): void {
    if (this.#table.list(pid)[0]?.started !== started) return;
    try {
      process.kill(pid, signal);
    } catch {
      // The process has just ended, or runs as another user.
    }
  }
}
