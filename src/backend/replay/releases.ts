import type { Interruption } from '../command_runner.ts';
import type { OpRecord } from './run_record.ts';

/**
 * Lets recorded attempts end in the order of their records, and each only when as many commands have begun as had then.
 * So the members of groups start and end as they did, whatever comes first now.
 */
export class Releases {
  readonly #byAttempt: Map<string, OpRecord>;
  /** Records that are still to be released, in order. */
  #waiting: OpRecord[];
  readonly #asked = new Map<OpRecord, () => void>();
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

  /** The interruption that the run has received by now: all that remain began after it. */
  pending(): Interruption | null {
    const [first] = this.#waiting;
    return this.#waiting.every(({ before }) => before !== null) ? (first?.before ?? null) : null;
  }

  /** Forgets the attempts of an op. */
  drop(op: number): void {
    this.#waiting = this.#waiting.filter((record) => record.op !== op);
    this.#release();
  }

  /** To be called with the number of commands that have begun. */
  advance(begun: number): void {
    this.#begun = begun;
    this.#release();
  }

  /** Settles when the attempt of a record may end. */
  wait(record: OpRecord): Promise<void> {
    return new Promise((resolve) => {
      this.#asked.set(record, resolve);
      this.#release();
    });
  }

  #release(): void {
    for (;;) {
      const [next] = this.#waiting;
      const release = next && this.#asked.get(next);
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
