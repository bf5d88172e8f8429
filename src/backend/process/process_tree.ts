import { isMarkerName, markerPid } from './base_environment.ts';
import type { GentleSignal, ProcessEntry, ProcessTable } from './process_table.ts';
import { sleepSync } from '../system/sleep.ts';

/** Maximum time for killing processes, in milliseconds. */
const KILL_TIMEOUT = 10_000;

/**
 * A scan can miss a process that is created after the scan has passed it, and whose parent ends before the scan reaches
 * the parent. After this many consecutive empty scans, a tree counts as empty.
 */
const EMPTY_SCANS = 50;

/**
 * The roots of a tree: for a run, the children of this process; for a command, its process. Both also include every
 * process with the run's marker in its environment; for a command, only with the command's own value.
 */
export type Root = Readonly<
  { marker: string } & ({ kind: 'run' } | { kind: 'command'; pid: number | undefined; value: string })
>;

/** All processes of a run or of one of its commands, with their descendants. */
export type ProcessTree = Readonly<{
  /**
   * Keeps the current processes in the tree permanently, even if they lose their parent and erase their environment.
   * Must be called with the first signal.
   */
  remember: () => void;
  /**
   * Sends a signal once to every process of the tree, or only to those that have not received an earlier one. A run
   * inside of this run gets it through its own runner while that is alive. SIGCONT follows, because a stopped process
   * cannot react.
   */
  signal: (signal: NodeJS.Signals, unlessReceived?: GentleSignal) => void;
  /** Whether no process is left, or none that has received a signal. */
  isEmpty: (received?: GentleSignal) => boolean;
  /** Kills the processes that received SIGTERM before a time of `performance.now()`. */
  killOverdue: (before: number) => void;
  /**
   * Kills every process of the tree, including those being forked meanwhile. Returns when none is left or after 10
   * seconds.
   */
  kill: () => void;
}>;

/** State shared by the trees of a run. `self` is the pid of this process, which belongs to no tree. */
export class TreeContext {
  readonly table: ProcessTable;
  readonly self: number;
  /** The names of the variables in the environment of this process. */
  readonly inherited: ReadonlySet<string>;
  /** The times of signals sent, from `performance.now()`, so that no process gets a signal twice. */
  readonly sent = new Map<string, number>();
  /** Processes that could not be killed. They no longer belong to a tree. */
  readonly remnants = new Map<string, ProcessEntry>();

  constructor(table: ProcessTable, self: number, inherited: ReadonlySet<string>) {
    this.table = table;
    this.self = self;
    this.inherited = inherited;
  }
}

const identity = ({ pid, started }: ProcessEntry): string => `${pid} ${started}`;
const delivery = (signal: string, entry: ProcessEntry): string => `${signal} ${identity(entry)}`;

/** A tree whose processes are found by their marker and their parents. */
export class MarkedTree implements ProcessTree {
  readonly #context: TreeContext;
  readonly #table: ProcessTable;
  readonly #root: Root;
  readonly #remembered = new Set<string>();

  constructor(context: TreeContext, root: Root) {
    this.#context = context;
    this.#table = context.table;
    this.#root = root;
    // Found with its start time: another process may get its pid once the command has ended.
    const command = root.kind === 'command' && root.pid !== undefined ? this.#table.find(root.pid) : undefined;
    if (command !== undefined) this.#remembered.add(identity(command));
  }

  remember(): void {
    for (const entry of this.#members()) this.#remembered.add(identity(entry));
  }

  signal(signal: NodeJS.Signals, unlessReceived?: GentleSignal): void {
    const { sent } = this.#context;
    const now = performance.now();
    for (const entry of this.#members()) {
      if (this.#isOfInnerRun(entry) || sent.has(delivery(signal, entry))) continue;
      const hasReceived = unlessReceived !== undefined && this.#hasReceived(unlessReceived, entry);
      if (!hasReceived || signal === unlessReceived) sent.set(delivery(signal, entry), now);
      if (hasReceived) continue;
      this.#send(entry, signal);
      this.#send(entry, 'SIGCONT');
    }
  }

  isEmpty(received?: GentleSignal): boolean {
    if (received === undefined) return this.#find().size === 0;
    return ![...this.#members()].some((entry) => this.#hasReceived(received, entry));
  }

  killOverdue(before: number): void {
    for (const entry of this.#members()) {
      const asked = this.#context.sent.get(delivery('SIGTERM', entry));
      if (asked !== undefined && asked <= before) this.#send(entry, 'SIGKILL');
    }
  }

  kill(): void {
    const deadline = performance.now() + KILL_TIMEOUT;
    const killed = new Set<string>();
    for (let found = this.#stop(); found.length > 0; found = this.#stop()) {
      for (const entry of found) this.#send(entry, 'SIGKILL');
      if (performance.now() > deadline) {
        for (const entry of found) this.#context.remnants.set(identity(entry), entry);
        return;
      }
      // A killed process takes a moment to disappear.
      if (found.every((entry) => killed.has(identity(entry)))) sleepSync(5);
      for (const entry of found) killed.add(identity(entry));
    }
  }

  /** Stops each process when a scan finds it, so that it cannot fork. Returns the processes that may be signalled. */
  #stop(): ProcessEntry[] {
    const stopped: ProcessEntry[] = [];
    this.#find((entry) => {
      if (this.#trySend(entry.pid, 'SIGSTOP')) stopped.push(entry);
    });
    return stopped;
  }

  /** Scans until processes of the tree are found, or until there are almost certainly none. */
  #find(see?: (entry: ProcessEntry) => void): Set<ProcessEntry> {
    const first = this.#table.generation();
    let before = first;
    let found = this.#members(see);
    for (let scans = 1; found.size === 0 && scans < EMPTY_SCANS; scans += 1) {
      // A scan during which no process was created has missed none.
      if (before !== undefined && before === this.#table.generation()) break;
      before = this.#table.generation();
      // Processes that the first scan missed were created during it or later.
      found = this.#members(see, first);
    }
    return found;
  }

  /** The processes of the tree. Calls `see` for each as soon as it is found. */
  #members(see?: (entry: ProcessEntry) => void, since?: string): Set<ProcessEntry> {
    const { self, remnants } = this.#context;
    const processes: ProcessEntry[] = [];
    const found = new Set<ProcessEntry>();
    const add = (entry: ProcessEntry): void => {
      if (found.has(entry)) return;
      found.add(entry);
      see?.(entry);
    };
    for (const entry of this.#table.all(since)) {
      if (entry.pid === self || remnants.has(identity(entry))) continue;
      processes.push(entry);
      if (this.#isRoot(entry)) add(entry);
    }
    // A loop over a set also visits elements that are added during the loop.
    for (const { pid } of found) for (const entry of processes) if (entry.parent === pid) add(entry);
    return found;
  }

  #isRoot(entry: ProcessEntry): boolean {
    const root = this.#root;
    if (this.#remembered.has(identity(entry))) return true;
    if (root.kind === 'run') return entry.parent === this.#context.self || this.#markers(entry).includes(root.marker);
    return this.#table.variables(entry.pid).includes(`${root.marker}=${root.value}`);
  }

  /** Whether a process belongs to a run inside of this run whose runner is alive. */
  #isOfInnerRun(entry: ProcessEntry): boolean {
    const { inherited } = this.#context;
    const inner = this.#markers(entry).filter((name) => name !== this.#root.marker && !inherited.has(name));
    return inner.some((name) => this.#table.find(markerPid(name)) !== undefined);
  }

  #markers({ pid }: ProcessEntry): string[] {
    return this.#table
      .variables(pid)
      .map((variable) => variable.split('=')[0] ?? '')
      .filter(isMarkerName);
  }

  /**
   * Whether a process has received a signal and can react to it. SIGHUP is always sent to the whole tree. SIGINT may
   * have come from the terminal instead, with this process group.
   */
  #hasReceived(signal: GentleSignal, entry: ProcessEntry): boolean {
    if (this.#table.ignores(entry.pid, signal)) return false;
    if (signal === 'SIGHUP') return true;
    const isInGroup = entry.group === this.#table.find(this.#context.self)?.group;
    return isInGroup || this.#context.sent.has(delivery(signal, entry));
  }

  #send(entry: ProcessEntry, signal: NodeJS.Signals): void {
    if (this.#table.find(entry.pid)?.started === entry.started) this.#trySend(entry.pid, signal);
  }

  /** Sends a signal. Returns whether the process may be signalled: it may run as another user. */
  #trySend(pid: number, signal: NodeJS.Signals): boolean {
    try {
      return process.kill(pid, signal);
    } catch (error) {
      // ESRCH: the process has just ended.
      return !(error instanceof Error && 'code' in error && error.code === 'EPERM');
    }
  }
}
