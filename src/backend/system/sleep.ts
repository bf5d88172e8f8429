const CELL = new Int32Array(new SharedArrayBuffer(4));

/** Waits for some milliseconds, in which other things happen. */
export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}

/** Blocks the whole process for some milliseconds: for the few places that must not yield. */
export function sleepSync(milliseconds: number): void {
  Atomics.wait(CELL, 0, 0, milliseconds);
}

/**
 * Reads or writes on a descriptor that somebody who shares it, such as a step, may have put into
 * non-blocking mode: waits until the system has something or takes something.
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
