import type { Exit, Interruption } from '../../../backend/command_runner.ts';
import type { Attempt } from '../fold_history.ts';
import { exitOf } from '../known_ops.ts';
import type { EndRecord } from '../record.ts';

/** A recorded attempt that is replayed. */
type Replayed = Readonly<{ op: number; attempt: number; exit: Exit }> & NonNullable<EndRecord['replay']>;

/**
 * Releases recorded attempts in the order of their ends, each only when as many commands have begun as had begun
 * originally. The members of a group thus start and end in their original order, whatever the timing.
 */
export class Releases {
  readonly #byAttempt: Map<string, Replayed>;
  /** The unreleased records, in order. */
  #waiting: Replayed[];
  /** Resolves the wait for a record. */
  readonly #waiters = new Map<Replayed, () => void>();
  #begun = 0;
  readonly over: Promise<void>;
  #end: () => void = () => undefined;

  constructor(attempts: readonly Attempt[]) {
    const replayed = attempts.flatMap(({ start: { op, attempt }, end }) =>
      end?.replay === undefined ? [] : [{ op, attempt, exit: exitOf(end), ...end.replay }],
    );
    this.#byAttempt = new Map(replayed.map((record) => [keyOf(record.op, record.attempt), record]));
    // A command that did not start has attempt 0, and nothing waits for its end.
    this.#waiting = replayed.filter(({ attempt }) => attempt > 0);
    this.over = new Promise((resolve) => (this.#end = resolve));
    if (this.isOver) this.#end();
  }

  get isOver(): boolean {
    return this.#waiting.length === 0;
  }

  recordOf(op: number, attempt: number): Replayed | undefined {
    return this.#byAttempt.get(keyOf(op, attempt));
  }

  /** The interruption received so far; null if any unreleased attempt began before one. */
  pending(): Interruption | null {
    const [first] = this.#waiting;
    return this.#waiting.every(({ before }) => before !== null) ? (first?.before ?? null) : null;
  }

  /** Discards the records of an op. */
  drop(op: number): void {
    this.#waiting = this.#waiting.filter((record) => record.op !== op);
    this.#release();
  }

  /** Updates the number of commands that have begun. */
  advance(begun: number): void {
    this.#begun = begun;
    this.#release();
  }

  /** Settles when a recorded attempt may end. */
  wait(record: Replayed): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.set(record, resolve);
      this.#release();
    });
  }

  #release(): void {
    for (;;) {
      const [next] = this.#waiting;
      const release = next && this.#waiters.get(next);
      if (next === undefined || release === undefined || next.begun > this.#begun) break;
      this.#waiting.shift();
      release();
    }
    if (this.isOver) this.#end();
  }
}

function keyOf(op: number, attempt: number): string {
  return `${op} ${attempt}`;
}
