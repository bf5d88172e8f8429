import type { ProcessTree } from './process_tree.ts';
import { delay } from '../system/sleep.ts';

/** How long what was asked to end may take, in milliseconds, before it is killed. */
export const GRACE = 5000;

/** How often we look whether a tree has ended, in milliseconds. */
const POLL_INTERVAL = 20;

/** Waits for a tree to end, until a time of `performance.now()` at most; tells whether it has. */
export async function waitForExit(tree: ProcessTree, whom: 'all' | 'signalled', until: number): Promise<boolean> {
  while (!tree.isEmpty(whom) && performance.now() < until) await delay(POLL_INTERVAL);
  return tree.isEmpty(whom);
}
