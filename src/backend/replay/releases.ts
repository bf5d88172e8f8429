import type { Interruption } from '../command_runner.ts';
import type { OpRecord } from './run_record.ts';

/**
 * Releases recorded attempts in the order of their records, each only when as many commands have begun as had begun
 * originally. The members of a group thus start and end in their original order, whatever the timing.
 */
export class Releases {
  readonly #byAttempt: Map<string, OpRecord>;
  /** The unreleased records, in order. */
  #waiting: OpRecord[];
  /** Resolves the wait for a record. */
  readonly #waiters = new Map<OpRecord, () => void>();
  #begun = 0;
  readonly over: Promise<void>;
  #end: () => void = () => undefined;

  constructor(records: readonly OpRecord[]) {
    this.#byAttempt = new Map(records.map((record) => [keyOf(record.op, record.attempt), record]));
    this.#waiting = [...records];
    this.over = new Promise((resolve) => (this.#end = resolve));
    if (this.isOver) this.#end();
  }

  get isOver(): boolean {
    return this.#waiting.length === 0;
  }

  recordOf(op: number, attempt: number): OpRecord | undefined {
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
  wait(record: OpRecord): Promise<void> {
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
