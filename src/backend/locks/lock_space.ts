import { LONGEST_WAIT, type CommandRunner } from '../command_runner.ts';

type Waiter = { readonly names: ReadonlySet<string>; isGranted: boolean; readonly grant: () => void };

/** Names that calls of one run hold. Calls that share a name follow one another, in the order in which they ask. */
export class LockSpace {
  readonly #held = new Set<string>();
  #waiting: readonly Waiter[] = [];

  /** Takes all names at once, so that no call holds one while it waits for another. Returns false if stopped. */
  async take(names: ReadonlySet<string>, runner: CommandRunner): Promise<boolean> {
    const settled: { grant?: () => void } = {};
    const granted = new Promise<void>((resolve) => {
      settled.grant = resolve;
    });
    const waiter: Waiter = { names, isGranted: false, grant: () => settled.grant?.() };
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
