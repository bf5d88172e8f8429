import { identity, MarkedProcesses, type Root, type TreeContext } from './marked_processes.ts';
import type { GentleSignal, ProcessEntry } from './table/process_table.ts';
import { sleepSync } from '../system/sleep.ts';

/** Maximum time for finding and for killing processes, in milliseconds. */
const TIMEOUT = 10_000;

/** Maximum time, in milliseconds, for a process to stop that is in a system call which cannot be interrupted. */
const STOP_TIMEOUT = 2000;

/** Maximum time, in milliseconds, for a process to stop that gets no processor. */
const STARVED_TIMEOUT = 30_000;

/** Maximum time between two attempts to kill the same processes, in milliseconds. */
const LONGEST_PAUSE = 200;

/** The minimum number of scans before processes are given up, however little processor time a scan gets. */
const MINIMUM_SCANS = 50;

/**
 * A scan can miss a process that is created after the scan has passed it, and whose parent ends before the scan reaches
 * the parent. After this many consecutive empty scans, a tree counts as empty.
 */
const EMPTY_SCANS = 50;

/** The number of consecutive scans without a new process after which all processes of a tree have been found. */
const FRUITLESS_SCANS = 2;

/** All processes of a run or of one of its commands, with their descendants. */
export type ProcessTree = Readonly<{
  /**
   * Sends a signal once to every process of the tree, or only to those without an earlier one. A run
   * inside of this run gets it through its own runner while that is alive. The processes are stopped first and continued
   * afterwards, so that no shell goes on to its next command because the signal has reached the current one earlier. From
   * then on they belong to the tree permanently, even if they lose their parent and erase their environment.
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

const delivery = (signal: string, entry: ProcessEntry): string => `${signal} ${identity(entry)}`;

/** A tree whose processes are found by their marker and their parents. */
export class MarkedTree implements ProcessTree {
  readonly #context: TreeContext;
  readonly #processes: MarkedProcesses;

  constructor(context: TreeContext, root: Root) {
    this.#context = context;
    this.#processes = new MarkedProcesses(context, root);
  }

  signal(signal: NodeJS.Signals, unlessReceived?: GentleSignal): void {
    const { sent } = this.#context;
    const targets = this.#stop(FRUITLESS_SCANS, (entry) => {
      this.#processes.remember(entry);
      if (this.#processes.isOfInnerRun(entry) || sent.has(delivery(signal, entry))) return false;
      const hasReceived = unlessReceived !== undefined && this.#hasReceived(unlessReceived, entry);
      if (!hasReceived || signal === unlessReceived) sent.set(delivery(signal, entry), performance.now());
      return !hasReceived;
    });
    for (const entry of targets) this.#send(entry, signal);
    for (const entry of targets) {
      this.#send(entry, 'SIGCONT');
      // The time for stopping the processes is not taken from their time for ending.
      sent.set(delivery(signal, entry), performance.now());
    }
  }

  /** The pids of all processes of the tree. */
  pids(): readonly number[] {
    return this.#processes.scan().map(({ pid }) => pid);
  }

  isEmpty(received?: GentleSignal): boolean {
    if (received === undefined) return this.#processes.scans(EMPTY_SCANS).next().done === true;
    return !this.#processes.scan().some((entry) => this.#hasReceived(received, entry));
  }

  killOverdue(before: number): void {
    const isOverdue = (entry: ProcessEntry): boolean => {
      const asked = this.#context.sent.get(delivery('SIGTERM', entry));
      return asked !== undefined && asked <= before;
    };
    if (!this.#processes.scan().some(isOverdue)) return;
    for (const entry of this.#stop(FRUITLESS_SCANS, isOverdue)) this.#send(entry, 'SIGKILL');
  }

  kill(): void {
    const killed = new Set<string>();
    const stop = (): readonly ProcessEntry[] => this.#stop(EMPTY_SCANS, () => true);
    const first = stop();
    const deadline = performance.now() + TIMEOUT;
    let pause = 5;
    for (let found = first; found.length > 0; found = stop()) {
      for (const entry of found) this.#send(entry, 'SIGKILL');
      // Without a list of processes, only the end of a command shows that it has ended.
      if (this.#context.table.problem !== undefined) return;
      if (performance.now() > deadline) {
        for (const entry of found) this.#context.remnants.set(identity(entry), entry);
        return;
      }
      // A killed process takes a moment to disappear, and needs a processor for it.
      if (found.every((entry) => killed.has(identity(entry)))) {
        sleepSync(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE);
      }
      for (const entry of found) killed.add(identity(entry));
    }
  }

  /**
   * Stops the processes of the tree that a signal is meant for, and their new children, until a number of
   * consecutive scans find no other. Returns them in the order for the signal, without processes of other users.
   *
   * Parents are stopped first and go on last, and a process whose parent is not stopped is not stopped either: a shell
   * with job control, or sudo, would take it for suspended. Such processes come first in the result, parents first.
   */
  #stop(fruitless: number, isTarget: (entry: ProcessEntry) => boolean): readonly ProcessEntry[] {
    // A chain of processes that each start the next one and exit may never be caught.
    const deadline = performance.now() + TIMEOUT;
    let scans = 0;
    const running = new Set<number>();
    const [unstopped, stopped]: [ProcessEntry[], Set<ProcessEntry>] = [[], new Set()];
    const stop = (entry: ProcessEntry): void => {
      const isBelowRunning = running.has(entry.parent);
      const isSent = isTarget(entry) && this.#send(entry, isBelowRunning ? 0 : 'SIGSTOP');
      if (isSent && !isBelowRunning) return void stopped.add(entry);
      running.add(entry.pid);
      if (isSent) unstopped.push(entry);
    };
    for (const found of this.#processes.scans(fruitless, stop)) {
      // Until a process has stopped, it may still be creating another one. On a busy machine, that takes a while.
      const start = performance.now();
      const isLate = (entry: ProcessEntry): boolean =>
        stopped.has(entry) && !this.#isStopped(entry, stopped, performance.now() > start + STOP_TIMEOUT);
      for (let late = found.filter(isLate); late.length > 0; late = late.filter(isLate)) {
        if (performance.now() > start + STARVED_TIMEOUT) break;
        sleepSync(1);
      }
      scans += 1;
      if (scans >= MINIMUM_SCANS && performance.now() > deadline) break;
    }
    this.#context.unlisted ??= this.#context.table.problem;
    return [...unstopped, ...[...stopped].toReversed()];
  }

  /**
   * Whether a process has stopped or ended, or waits for a child that has stopped before its program began (vfork(2)), or
   * is in another system call that cannot be interrupted and is not waited for.
   */
  #isStopped({ pid, started }: ProcessEntry, stopped: ReadonlySet<ProcessEntry>, isOver = false): boolean {
    const now = this.#context.table.find(pid);
    if (now?.started !== started || now.state === 'T' || now.state === 't') return true;
    if (now.state !== 'D' && now.state !== 'U') return false;
    return isOver || [...stopped].some((child) => child.parent === pid && this.#isStopped(child, stopped));
  }

  /**
   * Whether a process has received a signal and can react to it. SIGHUP is always sent to the whole tree. SIGINT may
   * have come from the terminal instead, with this process group.
   */
  #hasReceived(signal: GentleSignal, entry: ProcessEntry): boolean {
    if (this.#context.table.ignores(entry.pid, signal)) return false;
    if (signal === 'SIGHUP') return true;
    const isInGroup = entry.group === this.#context.table.find(this.#context.self)?.group;
    return isInGroup || this.#context.sent.has(delivery(signal, entry));
  }

  /** Sends a signal; 0 only checks. Returns false if the process has ended or runs as another user. */
  #send({ pid, started }: ProcessEntry, signal: NodeJS.Signals | 0): boolean {
    if (this.#context.table.find(pid)?.started !== started) return false;
    try {
      return process.kill(pid, signal);
    } catch {
      return false;
    }
  }
}
