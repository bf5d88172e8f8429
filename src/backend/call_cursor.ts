import type { Call } from '../ir/plan.ts';

/** Follows the calls of a plan that a run enters until it fails. Runs in time linear in the plan. */
export class CallCursor {
  readonly #calls: readonly Call[];
  /** The index of the next call. Calls are in execution order, each before its inner calls. */
  #next: number;
  /** No call from this index on has begun. */
  #end = Infinity;

  /** Follows the calls from `start` up to but not including `end`. */
  constructor(calls: readonly Call[], start: number, end: number) {
    this.#calls = end === calls.length ? calls : calls.slice(0, end);
    this.#next = start;
  }

  /**
   * Yields the calls that begin before an op, outermost first. Skipped calls are left out, and no call is yielded
   * twice.
   */
  *enter(op: number): Generator<readonly [index: number, call: Call]> {
    for (let call = this.#calls[this.#next]; call !== undefined && call.start <= op; call = this.#calls[this.#next]) {
      this.#next += 1;
      yield [this.#next - 1, call];
    }
  }

  /** No call from an index on begins, or has begun. */
  close(end = this.#next): void {
    this.#end = end;
  }

  /** Whether a call that was neither skipped nor refused has begun, to be asked at its end. */
  hasBegun(index: number): boolean {
    return index < this.#end;
  }

  /** Continues at the call with an index, unless it has been passed. */
  skipTo(index: number): void {
    this.#next = Math.max(this.#next, index);
  }

  /** Skips the call that the condition at an index guards, if any. Its conditions precede it. */
  skipGuarded(condition: number): void {
    const { guard = null, start = 0 } = this.#calls[this.#next] ?? {};
    if (guard === null || guard > condition || condition >= start) return;
    this.#next += 1;
    this.skipInside(this.#next - 1);
  }

  /** Skips the inner calls of the call with an index. */
  skipInside(index: number): void {
    for (let from = this.#calls[this.#next]?.from; from && from.call >= index; from = this.#calls[this.#next]?.from) {
      this.#next += 1;
    }
  }
}
