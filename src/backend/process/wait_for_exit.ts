import type { ProcessTree } from './process_tree.ts';
import { delay } from '../system/sleep.ts';

/** The time between SIGTERM and SIGKILL, in milliseconds. */
export const GRACE = 5000;

/** The time between two looks at the process table, in milliseconds. */
const POLL_INTERVAL = 20;

/** Waits for a tree to end, at most until a time of `performance.now()`; gives whether it has ended. */
export async function waitForExit(tree: ProcessTree, whom: 'all' | 'signalled', until: number): Promise<boolean> {
  while (!tree.isEmpty(whom) && performance.now() < until) await delay(POLL_INTERVAL);
  return tree.isEmpty(whom);
}
