const CELL = new Int32Array(new SharedArrayBuffer(4));

/** Waits for some milliseconds without blocking. */
export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}

/** Blocks the process for some milliseconds, in the few places that must not yield. */
export function sleepSync(milliseconds: number): void {
  Atomics.wait(CELL, 0, 0, milliseconds);
}

/**
 * Reads or writes once, and waits until that is possible: a process that shares the descriptor, such as a step, may
 * have made it non-blocking.
 */
export function whenReady(transfer: () => number): number {
  for (;;) {
    try {
      return transfer();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      sleepSync(5);
    }
  }
}

/** A turn of the event loop. The promises of `timers/promises` would load more modules and create more garbage. */
export function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
