import type { RemoteRuns } from '../../../../src/internal.ts';
import type { ChangeSource } from './streams.ts';

/** The time between two looks, in milliseconds. */
const LOOK = 150;

/** Notices changes in a database: workers cannot tell this process of them. */
export class DatabaseChanges implements ChangeSource {
  readonly #runs: RemoteRuns;
  readonly #send: (run: string) => void;
  readonly #fail: () => void;
  #marks: ReadonlyMap<string, string> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(runs: RemoteRuns, send: (run: string) => void, fail: () => void) {
    this.#runs = runs;
    this.#send = send;
    this.#fail = fail;
  }

  async start(): Promise<void> {
    const marks = await this.#runs.marks();
    this.#marks ??= marks;
    this.#plan();
  }

  stop(): void {
    clearTimeout(this.#timer);
    [this.#timer, this.#marks] = [undefined, undefined];
  }

  #plan(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#compare().catch(() => this.#fail());
    }, LOOK);
  }

  async #compare(): Promise<void> {
    const marks = await this.#runs.marks();
    const before = this.#marks;
    // All pages have been closed meanwhile.
    if (before === undefined) return;
    this.#marks = marks;
    this.#plan();
    for (const id of new Set([...before.keys(), ...marks.keys()])) {
      if (before.get(id) !== marks.get(id)) this.#send(id);
    }
  }
}
