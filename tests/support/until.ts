import { setTimeout as delay } from 'node:timers/promises';

/** How long anything that a test waits for may take on a busy machine, in milliseconds. */
const PATIENCE = 30_000;

/** Waits until something is the case; fails, saying what was expected, if it never is. */
export async function until(holds: () => boolean, expected: () => string): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`still not true: ${expected()}`);
    await delay(10);
  }
}
