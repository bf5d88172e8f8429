import { lstatSync } from 'node:fs';
import type { Waiting } from '../../backend/checks/check_port.ts';
import type { LockPort } from '../../backend/locks/call_locks.ts';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { digest } from '../../ir/steps/digest.ts';
import { makeRunsDirectory } from '../journal/directory/runs_directory.ts';
import { TicketLock, type LeftOf, type LockHolder, type LockOwner } from './ticket_lock.ts';

/** The directory of locks, beside that of runs. */
const DIRECTORY = '.cli/locks';

/**
 * `about` describes the run of this process. `onHeld` receives each process that holds a lock: it prints or records it,
 * and returns the reason not to wait, if there is one.
 */
export type LockSettings = Readonly<{
  env: Readonly<Record<string, string | undefined>>;
  about: Readonly<Partial<Pick<LockOwner, 'run' | 'workflow' | 'marker'>>>;
  leftOf: LeftOf;
  onHeld: (name: string, holder: LockHolder) => string | undefined;
}>;

/** The locks of workflows in the current directory, of which a run may hold some. */
export class WorkflowLocks implements LockPort {
  readonly #settings: LockSettings;
  readonly #held = new Map<string, TicketLock>();

  constructor(settings: LockSettings) {
    this.#settings = settings;
  }

  /** The process of another run that holds a lock. */
  async holder(name: string): Promise<LockHolder | undefined> {
    const found = await this.#lock(name).holder();
    return typeof found === 'object' && !this.#isAround(found) ? found : undefined;
  }

  async take(name: string, { wait, isStopped }: Waiting): Promise<boolean | string> {
    const { onHeld } = this.#settings;
    const lock = this.#lock(name);
    let refusal: string | undefined;
    const problem = makeDirectory();
    if (problem !== undefined) return untakeable(name, problem);
    const holder = await lock.holder();
    // A command of the run that holds the lock has started this run.
    if (typeof holder === 'object' && this.#isAround(holder)) return true;
    const waiting = { wait, isStopped: () => refusal !== undefined || isStopped() };
    const taken = await lock.take(waiting, (each) => {
      refusal = onHeld(name, each);
    });
    if (typeof taken === 'string') return untakeable(name, taken);
    if (taken) this.#held.set(name, lock);
    return refusal ?? taken;
  }

  release(name: string): void {
    this.#held.get(name)?.release();
    this.#held.delete(name);
  }

  #lock(name: string): TicketLock {
    const { about, leftOf } = this.#settings;
    return new TicketLock(DIRECTORY, digest(name), { lock: name, ...about }, leftOf);
  }

  #isAround({ owner: { marker } }: LockHolder): boolean {
    return marker !== '' && this.#settings.env[marker] !== undefined;
  }
}

/** Creates the directory of locks if it is missing. Returns the reason on failure. */
function makeDirectory(): string | undefined {
  return trySystemCall(() => {
    const stats = lstatSync(DIRECTORY, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() === true) return `${DIRECTORY} is a symbolic link, which is not followed`;
    if (stats === undefined) makeRunsDirectory(DIRECTORY);
    return undefined;
  });
}

function untakeable(name: string, problem: string): string {
  return `the lock '${name}' cannot be taken: ${problem}`;
}
