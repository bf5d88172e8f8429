import type { Call } from '../ir/plan.ts';

/** Follows the calls of a plan that a run enters. Takes time linear in the plan. */
export class CallCursor {
  readonly #calls: readonly Call[];
  /** The index of the next call. Calls are in the order of a run, each followed by the calls inside it. */
  #next: number;

  /** Follows the calls from `start` up to `end`, which is not one of them. */
  constructor(calls: readonly Call[], start: number, end: number) {
    this.#calls = end === calls.length ? calls : calls.slice(0, end);
    this.#next = start;
  }

  /** The calls that begin before an op, outermost first. Each is given once, unless it is skipped. */
  *enter(op: number): Generator<readonly [index: number, call: Call]> {
    for (let call = this.#calls[this.#next]; call !== undefined && call.start <= op; call = this.#calls[this.#next]) {
      this.#next += 1;
      yield [this.#next - 1, call];
    }
  }

  /** Continues at the call with an index, unless that lies behind. */
  skipTo(index: number): void {
    this.#next = Math.max(this.#next, index);
  }

  /** Skips the call that the condition at an index guards, if it guards one. */
  skipGuarded(condition: number): void {
    if (this.#calls[this.#next]?.guard !== condition) return;
    this.#next += 1;
    this.skipInside(this.#next - 1);
  }

  /** Skips the calls inside the call with an index. */
  skipInside(index: number): void {
    for (let from = this.#calls[this.#next]?.from; from && from.call >= index; from = this.#calls[this.#next]?.from) {
      this.#next += 1;
    }
  }
}
