import type { GentleSignal } from './table/process_table.ts';
import type { ProcessTree } from './end_process_tree.ts';
import { delay } from '../system/sleep.ts';

/** The time between SIGTERM and SIGKILL, in milliseconds. */
export const GRACE_PERIOD = 5000;

/** The time between two scans of the process table, in milliseconds. */
const POLL_INTERVAL = 20;

/**
 * Waits until a tree is empty, or until its processes that received a signal have ended, but at most until a time of
 * `performance.now()`. Returns whether the tree ended in time. Kills processes that still run 5 seconds after their
 * SIGTERM.
 */
export async function waitForExit(tree: ProcessTree, until: number, received?: GentleSignal): Promise<boolean> {
  while (!tree.isEmpty(received)) {
    if (performance.now() >= until) return false;
    await delay(POLL_INTERVAL);
    tree.killOverdue(performance.now() - GRACE_PERIOD);
  }
  return true;
}
