let cell: Int32Array | undefined;

/** Blocks the whole process for some milliseconds: for the few places that must not yield. */
export function sleepSync(milliseconds: number): void {
  cell ??= new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(cell, 0, 0, milliseconds);
}
