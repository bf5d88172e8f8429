import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Waiting } from '../../backend/checks/check_port.ts';
import { openOwn, readWhole } from '../../backend/system/regular_file.ts';
import { saysMissing, systemMessage, trySystemCall } from '../../backend/system/try_system_call.ts';
import { stateOf, thisProcess } from '../journal/holder/holder.ts';
import { parseJson } from '../journal/parse_json.ts';

/** The time between two looks at a lock that another process has, in milliseconds. */
const INTERVAL = 50;

/** The same if that process has ended, and only commands of it run. They are looked for among all processes. */
const SLOW_INTERVAL = 500;

/** The number of looks for which another process may be drawing its ticket before that is a wait. */
const DRAWING_ROUNDS = 20;

/** The time after which an unfinished file is left over, in milliseconds. */
const UNFINISHED = 60_000;

/** The maximum size of the file of a lock, in bytes. */
const MAX_SIZE = 65_536;

const Text = v.nullable(v.string());
const Owner = v.object({
  pid: v.number(),
  started: Text,
  boot: Text,
  space: Text,
  host: v.string(),
  uid: v.nullable(v.number()),
  run: v.optional(Text, null),
  workflow: v.optional(v.string(), ''),
  marker: v.optional(v.string(), ''),
});

/** A holder of a lock, or a waiting process: its identity, its run, the workflow of the run, and the run's marker. */
export type LockOwner = Readonly<v.InferOutput<typeof Owner>>;

/** The owner of a lock. `left` are the running processes of its commands, if its own process has ended. */
export type LockHolder = Readonly<{ owner: LockOwner; left: readonly number[] }>;

/** Returns the running processes of commands that a dead process was running. */
export type LeftOf = (owner: LockOwner) => Promise<readonly number[]>;

/** A process before this one. `isDead`: only its commands may still run. */
type Found = Readonly<{ owner: LockOwner; entry: Entry; isDead: boolean }>;

/** The file of a process. Without a ticket, the process is about to draw one. */
type Entry = Readonly<{ name: string; ticket: number | undefined }>;

/**
 * A lock that processes get in the order in which they ask: Lamport's bakery algorithm, with a file for each process.
 *
 * A process makes its file without a ticket, reads all tickets, and adds a greater one to the name of its file. It has
 * the lock once no process is drawing a ticket, and, in a list read after that, no living one has a lower ticket: a
 * process that it has not seen drawing has its ticket by then, or sees this one and draws a greater one. Files have
 * unique names and are never written again, so that any process can remove the files of dead ones.
 */
export class TicketLock {
  readonly #directory: string;
  readonly #prefix: string;
  readonly #about: Readonly<Record<string, unknown>>;
  readonly #leftOf: LeftOf | undefined;
  readonly #here = thisProcess();
  #own: Entry | undefined;

  /**
   * `prefix` begins the names of all files of the lock. `about` describes the run of this process.
   * Without `leftOf`, a dead process frees the lock at once.
   */
  constructor(directory: string, prefix: string, about: Readonly<Record<string, unknown>> = {}, leftOf?: LeftOf) {
    this.#directory = directory;
    this.#prefix = `${prefix}.`;
    this.#about = about;
    this.#leftOf = leftOf;
  }

  /**
   * Waits for the lock. `onWait` receives each process that holds it, once, and once more if it ends and leaves commands.
   * Returns false if the wait was stopped, and the system's message if files cannot be written.
   */
  async take({ wait, isStopped }: Waiting, onWait: (holder: LockHolder) => void): Promise<boolean | string> {
    let shown = '';
    for (let round = 0; !isStopped(); round += 1) {
      const problem = this.#hasFile() ? undefined : this.#draw();
      if (problem !== undefined) return problem;
      const holder = await this.#settled(() => this.#ahead());
      if (holder === undefined || typeof holder === 'string') return holder ?? true;
      const mark = `${holder.owner.pid} ${holder.owner.started} ${holder.left.length > 0}`;
      // To draw a ticket takes no time.
      const isDrawing = holder.ticket === undefined && round < DRAWING_ROUNDS;
      if (mark !== shown && !isDrawing) {
        shown = mark;
        onWait(holder);
      }
      await wait(holder.left.length > 0 ? SLOW_INTERVAL : isDrawing ? 1 + Math.random() * 5 : INTERVAL);
    }
    this.release();
    return false;
  }

  /** Takes the lock unless another process has it. */
  tryToTake(): boolean {
    if (this.#drawn() !== undefined || this.#draw() !== undefined) return false;
    const isFirst = this.#ahead() === undefined;
    if (!isFirst) this.release();
    return isFirst;
  }

  /** The process that has the lock or will have it next; the system's message if files cannot be read. */
  holder(): Promise<LockHolder | string | undefined> {
    return this.#settled(() => this.#drawn());
  }

  release(): void {
    const own = this.#own;
    this.#own = undefined;
    if (own !== undefined) this.#remove(own);
  }

  /** Whether the file of this process is still there: a command may have removed the directory. */
  #hasFile(): boolean {
    const own = this.#own;
    return own !== undefined && statSync(join(this.#directory, own.name), { throwIfNoEntry: false }) !== undefined;
  }

  /** Draws a ticket. Returns the system's message on failure. */
  #draw(): string | undefined {
    const id = randomBytes(8).toString('hex');
    const pathOf = (middle: string): string => join(this.#directory, `${this.#prefix}${middle}.${id}`);
    const problem = trySystemCall(() => {
      writeFileSync(pathOf('new'), JSON.stringify({ ...this.#here, ...this.#about }), { flag: 'wx', mode: 0o600 });
      renameSync(pathOf('new'), pathOf('drawing'));
      const ticket = 1 + this.#entries().reduce((last, each) => Math.max(last, each.ticket ?? 0), 0);
      renameSync(pathOf('drawing'), pathOf(String(ticket)));
      this.#own = { name: `${this.#prefix}${ticket}.${id}`, ticket };
      return undefined;
    });
    if (problem !== undefined) for (const middle of ['new', 'drawing']) trySystemCall(() => unlinkSync(pathOf(middle)));
    return problem;
  }

  /** The process with the lowest ticket. */
  #drawn(): Found | undefined {
    return this.#first(this.#entries().filter(({ ticket }) => ticket !== undefined));
  }

  /** The process that is next before this one; also one that is drawing its ticket. */
  #ahead(): Found | undefined {
    const drawing = this.#first(this.#entries().filter(({ ticket }) => ticket === undefined));
    if (drawing !== undefined) return drawing;
    const own = this.#own;
    return own && this.#first(this.#entries().filter((each) => order(each, own) < 0));
  }

  /** The first process to be found that is alive, or has left commands. Removes the files of the others. */
  async #settled(find: () => Found | undefined): Promise<(LockHolder & Pick<Entry, 'ticket'>) | string | undefined> {
    for (;;) {
      const found = trySystemCall(find);
      if (typeof found !== 'object') return found;
      const { owner, entry, isDead } = found;
      const left = isDead ? ((await this.#leftOf?.(owner)) ?? []) : [];
      if (!isDead || left.length > 0) return { owner, left, ticket: entry.ticket };
      this.#remove(entry);
    }
  }

  /** The first of some processes that is not dead, or may have left commands. Removes the files of those before it. */
  #first(entries: readonly Entry[]): Found | undefined {
    for (const entry of entries.toSorted(order)) {
      const owner = this.#read(entry);
      const state = owner && stateOf(owner, this.#here);
      if (owner === undefined || state === undefined) continue;
      // A process that this one cannot see, such as one of a container with the name of this host.
      if (state === 'alive' || (state === 'unclear' && owner.host === this.#here.host))
        return { owner, entry, isDead: false };
      if (state === 'unclear') continue;
      if (this.#leftOf !== undefined && entry.ticket !== undefined) return { owner, entry, isDead: true };
      this.#remove(entry);
    }
    return undefined;
  }

  #read({ name }: Entry): LockOwner | undefined {
    const text = readWhole(openOwn(join(this.#directory, name)), MAX_SIZE);
    const { success, output } = v.safeParse(Owner, parseJson(text.toString()));
    return success ? output : undefined;
  }

  /** The files of other processes and of this one. Throws the system's error if they cannot be listed. */
  #entries(): readonly Entry[] {
    return this.#names().flatMap((name): Entry | readonly Entry[] => {
      const [, kind = ''] = name.startsWith(this.#prefix)
        ? (/^(new|drawing|[1-9]\d{0,14})\.[^.]+$/.exec(name.slice(this.#prefix.length)) ?? [])
        : [];
      if (kind === 'new') this.#removeUnfinished(name);
      if (kind === '' || kind === 'new') return [];
      return { name, ticket: kind === 'drawing' ? undefined : Number(kind) };
    });
  }

  /** Without the directory, no process has the lock. */
  #names(): readonly string[] {
    try {
      return readdirSync(this.#directory);
    } catch (error) {
      if (error instanceof Error && saysMissing(systemMessage(error))) return [];
      throw error;
    }
  }

  #removeUnfinished(name: string): void {
    const path = join(this.#directory, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > UNFINISHED) trySystemCall(() => unlinkSync(path));
  }

  #remove({ name }: Entry): void {
    trySystemCall(() => unlinkSync(join(this.#directory, name)));
  }
}

/** The order of tickets, and of names for equal ones. */
function order(one: Entry, other: Entry): number {
  return (one.ticket ?? 0) - (other.ticket ?? 0) || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
}
