import { onceCheckOf } from '../../ir/ops.ts';
import { at, type Call, type Plan } from '../../ir/plan.ts';
import { deferred } from '../checks/once_calls.ts';
import { waitingOf, type Waiting } from '../checks/check_port.ts';
import { isStopped, type CommandRunner, LONGEST_WAIT } from '../command_runner.ts';
import type { RunJournal } from '../run_journal.ts';

/**
 * The result of beginning a call: it may begin, and the function is to be called at its end; there is a reason why it
 * fails without starting; or the wait for a lock was stopped.
 */
type Entered = Readonly<
  { kind: 'entered'; leave: () => void } | { kind: 'refused'; reason: string } | { kind: 'stopped' }
>;

/** Takes locks of other runs into account. */
export type LockPort = Readonly<{
  /** Waits for a lock. Returns false if the wait was stopped, and the reason if the lock cannot be taken. */
  take: (name: string, waiting: Waiting) => Promise<boolean | string>;
  release: (name: string) => void;
}>;

/** Whether an op of a call may run a command in this session. */
type IsActive = (call: Call) => boolean;

type Waiter = { readonly names: ReadonlySet<string>; isGranted: boolean; readonly grant: () => void };

/** Names that calls of one run hold. Calls that share a name follow one another, in the order in which they ask. */
class LockSpace {
  readonly #held = new Set<string>();
  #waiting: readonly Waiter[] = [];

  /** Takes all names at once, so that no call holds one while it waits for another. Returns false if stopped. */
  async take(names: ReadonlySet<string>, runner: CommandRunner): Promise<boolean> {
    const { reached: granted, reach: grant } = deferred();
    const waiter: Waiter = { names, isGranted: false, grant };
    this.#waiting = [...this.#waiting, waiter];
    this.#grant();
    if (!waiter.isGranted) await Promise.race([granted, runner.wait(LONGEST_WAIT)]);
    if (waiter.isGranted) return true;
    this.#waiting = this.#waiting.filter((each) => each !== waiter);
    this.#grant();
    return false;
  }

  release(names: ReadonlySet<string>): void {
    for (const name of names) this.#held.delete(name);
    this.#grant();
  }

  #grant(): void {
    const wanted = new Set(this.#held);
    this.#waiting = this.#waiting.filter((waiter) => {
      const isFree = [...waiter.names].every((name) => !wanted.has(name));
      for (const name of waiter.names) {
        wanted.add(name);
        if (isFree) this.#held.add(name);
      }
      waiter.isGranted = isFree;
      if (isFree) waiter.grant();
      return !isFree;
    });
  }
}

const NONE: ReadonlySet<string> = new Set();

const FREE: Entered = { kind: 'entered', leave: () => undefined };

/** Whether an op of a call may run a command in this session. */
export function activeCalls({ ops }: Plan, known: RunJournal['known']): IsActive {
  return ({ start, end }) => {
    for (let index = start; index < end; index += 1) {
      const { kind } = at(ops, index);
      if (kind !== 'parallel' && kind !== 'stop' && known(index) === undefined) return true;
    }
    return false;
  };
}

/** The locks of the calls that are active, in the order in which they are taken. */
export function locksOfSession({ calls }: Plan, isActive: IsActive): readonly string[] {
  const held = calls.filter((call) => call.lock !== undefined && isActive(call));
  return [...new Set(held.flatMap(({ lock }) => lock?.text ?? []))].toSorted();
}

/**
 * The locks of one run. Two of its calls with the same lock overlap only if one calls the other.
 *
 * A call takes the locks of all calls inside it together with its own, from its nearest caller that holds locks, or from
 * the run. So no call of a run waits for a lock while it holds another one at the same level. A run with several locks
 * takes all of them at its start, in the order of their names, for the same reason.
 */
export class CallLocks {
  readonly #plan: Plan;
  readonly #port: LockPort;
  /** The names of all locks of each call and the calls inside it; absent without any. */
  readonly #names = new Map<number, ReadonlySet<string>>();
  /** The calls before which a check finds out whether an equal call has run, by its index. */
  readonly #checked = new Map<number, number>();
  /** For each lock, the op after the last call that holds it. */
  readonly #ends = new Map<string, number>();
  readonly #run = new LockSpace();
  /** The locks for the calls inside of each call that holds any. */
  readonly #inside = new Map<number, LockSpace>();
  /** The locks that the run holds until no further call needs them. */
  readonly #held = new Set<string>();
  #problem: string | undefined;

  constructor(plan: Plan, known: RunJournal['known'], port: LockPort) {
    this.#plan = plan;
    this.#port = port;
    const isActive = activeCalls(plan, known);
    for (const [index, call] of [...plan.calls.entries()].toReversed()) this.#add(index, call, isActive);
  }

  #add(index: number, call: Call, isActive: IsActive): void {
    const { lock, from, end } = call;
    if (lock !== undefined && isActive(call)) {
      this.#names.set(index, new Set([...this.#namesOf(index), lock.text]));
      this.#ends.set(lock.text, Math.max(end, this.#ends.get(lock.text) ?? 0));
    }
    const names = this.#names.get(index);
    if (names === undefined || from === null) return;
    this.#names.set(from.call, new Set([...this.#namesOf(from.call), ...names]));
    const check = onceCheckOf(this.#plan, call);
    if (check !== undefined) this.#checked.set(check, index);
  }

  #namesOf(index: number): ReadonlySet<string> {
    return this.#names.get(index) ?? NONE;
  }

  /** Takes all locks of a plan that has several. */
  async begin(runner: CommandRunner): Promise<void> {
    if (this.#ends.size < 2) return;
    for (const name of [...this.#ends.keys()].toSorted()) {
      const taken = await this.#take(name, runner);
      if (taken === true) this.#held.add(name);
      else if (taken !== false) this.#problem = taken;
      if (taken !== true) return this.passed(Infinity);
    }
  }

  /** The call that the check at an index stands before. */
  callOf(check: number): number | undefined {
    return this.#checked.get(check);
  }

  /** Takes the locks of a call. */
  async enter(index: number, runner: CommandRunner): Promise<Entered> {
    const names = this.#names.get(index);
    const { lock, start } = at(this.#plan.calls, index);
    const isHolder = lock !== undefined || this.#checked.get(start - 1) === index;
    if (names === undefined || !isHolder || this.#inside.has(index)) return FREE;
    if (this.#problem !== undefined) return { kind: 'refused', reason: this.#problem };
    const around = this.#around(index);
    if (!(await around.take(names, runner))) return { kind: 'stopped' };
    const own = around === this.#run ? [...names].filter((name) => !this.#held.has(name)) : [];
    const leave = (): void => {
      this.#inside.delete(index);
      for (const name of own) this.#port.release(name);
      around.release(names);
    };
    this.#inside.set(index, new LockSpace());
    for (const name of own) {
      const taken = isStopped(runner) ? false : await this.#take(name, runner);
      if (taken === true && !isStopped(runner)) continue;
      leave();
      return typeof taken === 'string' ? { kind: 'refused', reason: taken } : { kind: 'stopped' };
    }
    return { kind: 'entered', leave };
  }

  #take(name: string, runner: CommandRunner): Promise<boolean | string> {
    return this.#port.take(name, waitingOf(runner));
  }

  /** The locks around a call: those of the nearest caller that holds any, or of the run. */
  #around(index: number): LockSpace {
    for (let { from } = at(this.#plan.calls, index); from !== null; { from } = at(this.#plan.calls, from.call)) {
      const space = this.#inside.get(from.call);
      if (space !== undefined) return space;
    }
    return this.#run;
  }

  /** Releases the locks that no op from an index on needs. */
  passed(op: number): void {
    for (const name of this.#held) {
      if ((this.#ends.get(name) ?? 0) > op) continue;
      this.#held.delete(name);
      this.#port.release(name);
    }
  }
}
