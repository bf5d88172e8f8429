import { setTimeout as delay } from 'node:timers/promises';

/** The limit of a wait on a busy machine, in milliseconds. */
const PATIENCE = 30_000;

/** Waits until a condition holds. Fails with `expected` after the limit. */
export async function until(holds: () => boolean, expected: () => string): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`condition not met: ${expected()}`);
    await delay(10);
  }
}
