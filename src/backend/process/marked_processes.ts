import { isMarkerName, markerPid } from './base_environment.ts';
import type { ProcessEntry, ProcessTable } from './table/process_table.ts';

/**
 * The roots of a tree: for a run, the children of this process; for a command, its process. Both also include every
 * process with the run's marker in its environment, except for those of the commands in `spared`; for a command, only
 * those with the command's own value. The roots of the processes that another run has left are known by their
 * environment only.
 */
export type Root =
  | Readonly<{ kind: 'run'; marker: string; spared: () => Iterable<CommandRoot> }>
  | (CommandRoot & Readonly<{ kind: 'command'; marker: string }>)
  | Readonly<{ kind: 'leftovers'; isLeft: (variables: readonly string[]) => boolean }>;

/** The process of a command, undefined if it could not be started, and the value of the marker in its environment. */
export type CommandRoot = Readonly<{ pid: number | undefined; value: string }>;

/**
 * State shared by the trees of a run. `self` is the pid of this process, and `helpers` are those of its own helpers, which
 * belong to no tree.
 */
export class TreeContext {
  readonly table: ProcessTable;
  readonly self: number;
  readonly helpers: ReadonlySet<number>;
  /** The names of variables that are no markers of runs inside of this run: those in the environment of this process. */
  readonly inherited: ReadonlySet<string>;
  /** The times of signals sent, from `performance.now()`, so that no process gets a signal twice. */
  readonly sent = new Map<string, number>();
  /** Processes that could not be killed. They no longer belong to a tree. */
  readonly remnants = new Map<string, ProcessEntry>();
  /** The reason why processes could not be listed when a signal was sent. */
  unlisted: string | undefined;

  constructor(
    table: ProcessTable,
    self: number,
    inherited: ReadonlySet<string>,
    helpers: ReadonlySet<number> = new Set(),
  ) {
    this.table = table;
    this.self = self;
    this.inherited = inherited;
    this.helpers = helpers;
  }
}

/** A text that no two processes share. */
export const identity = ({ pid, started }: ProcessEntry): string => `${pid} ${started}`;

/** The processes of a tree, found by their marker and their parents. */
export class MarkedProcesses {
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
    if (command !== undefined) this.remember(command);
  }

  /** Keeps a process in the tree, even if it loses its parent and erases its environment. */
  remember(entry: ProcessEntry): void {
    this.#remembered.add(identity(entry));
  }

  /**
   * Yields the processes of the tree, then further ones of later scans. Ends after a number of consecutive scans
   * without any, or after one during which no process was created. Calls `see` for each process: for those of the first
   * scan in the order of their creation, for the others as soon as they are found, because they may be about to end.
   */
  *scans(fruitless: number, see?: (entry: ProcessEntry) => void): Generator<readonly ProcessEntry[]> {
    const known = new Map<string, ProcessEntry>();
    let [isFirst, since]: [boolean, string | undefined] = [true, undefined];
    for (let left = fruitless; left > 0; left -= 1) {
      const before = this.#table.generation();
      const found = this.scan(known, since, isFirst ? undefined : see);
      if (isFirst && see !== undefined) found.forEach(see);
      isFirst = false;
      if (found.length > 0) {
        left = fruitless + 1;
        // A process that a found one is creating has its pid, but is not listed yet.
        since = undefined;
        yield found;
      } else if (before !== undefined && before === this.#table.generation()) return;
      // What a scan of everything has missed was created during it or later.
      else since ??= before;
    }
  }

  /**
   * Adds the processes of the tree to the known ones, and returns the new ones in the order of their creation. Calls
   * `see` for each as soon as it is found.
   */
  scan(
    known = new Map<string, ProcessEntry>(),
    since?: string,
    see?: (entry: ProcessEntry) => void,
  ): readonly ProcessEntry[] {
    const { self, helpers, remnants } = this.#context;
    const processes: ProcessEntry[] = [];
    const found = new Set<ProcessEntry>();
    const isSpared = this.#createIsSpared();
    const add = (entry: ProcessEntry): void => {
      if (known.has(identity(entry)) || isSpared(entry)) return;
      known.set(identity(entry), entry);
      found.add(entry);
      see?.(entry);
    };
    for (const entry of this.#table.all(since)) {
      if (entry.pid === self || helpers.has(entry.pid) || remnants.has(identity(entry))) continue;
      processes.push(entry);
      if (this.#isRoot(entry)) add(entry);
    }
    // A loop over a map also visits elements that are added during the loop.
    for (const { pid } of known.values()) for (const entry of processes) if (entry.parent === pid) add(entry);
    return processes.filter((entry) => found.has(entry)).toReversed();
  }

  #isRoot(entry: ProcessEntry): boolean {
    const root = this.#root;
    if (this.#remembered.has(identity(entry))) return true;
    if (root.kind === 'run') return entry.parent === this.#context.self || this.#markers(entry).includes(root.marker);
    const variables = this.#table.variables(entry.pid);
    return root.kind === 'command' ? variables.includes(`${root.marker}=${root.value}`) : root.isLeft(variables);
  }

  /** A function that tells whether a process is that of a spared command, or has its marker. */
  #createIsSpared(): (entry: ProcessEntry) => boolean {
    const root = this.#root;
    const spared = root.kind === 'run' ? [...root.spared()] : [];
    if (root.kind !== 'run' || spared.length === 0) return () => false;
    const pids = new Set(spared.map(({ pid }) => pid));
    const markers = new Set(spared.map(({ value }) => `${root.marker}=${value}`));
    return ({ pid }) => pids.has(pid) || this.#table.variables(pid).some((variable) => markers.has(variable));
  }

  /** Whether a process belongs to a run inside of this run whose runner is alive. */
  isOfInnerRun(entry: ProcessEntry): boolean {
    const { inherited } = this.#context;
    const own = this.#root.kind === 'leftovers' ? undefined : this.#root.marker;
    const inner = this.#markers(entry).filter((name) => name !== own && !inherited.has(name));
    return inner.some((name) => this.#table.find(markerPid(name)) !== undefined);
  }

  #markers({ pid }: ProcessEntry): string[] {
    return this.#table
      .variables(pid)
      .map((variable) => variable.split('=')[0] ?? '')
      .filter(isMarkerName);
  }
}
