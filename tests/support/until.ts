import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

/** The limit of a wait on a busy machine, in milliseconds. */
const PATIENCE = 60_000;

/** Waits until a condition holds, with a pause in milliseconds between two checks. Fails with `expected` after the limit. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  expected: () => string,
  pause = 25,
): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`condition not met: ${expected()}`);
    await delay(pause);
  }
}

/** The result of a promise that settles within the limit. Fails with `expected` afterwards. */
export async function within<T>(work: Promise<T>, expected: () => string): Promise<T> {
  const stop = new AbortController();
  const late = delay(PATIENCE, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`not within a minute: ${expected()}`);
  });
  late.catch(() => undefined);
  return Promise.race([work, late]).finally(() => stop.abort());
}

/** Prints a text if the test reaches its time limit: the error alone does not show what the test was waiting for. */
export function atTimeLimit(t: TestContext, text: () => string): void {
  t.after(() => {
    if (t.signal.aborted) process.stderr.write(`at the time limit of '${t.name}', ${text()}\n`);
  });
}
