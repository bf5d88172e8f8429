import { GRACE, waitForExit } from './wait_for_exit.ts';
import type { ProcessTree } from './process_tree.ts';

/** A running time limit of a command. */
export type Timeout = Readonly<{
  /** To be awaited when the command has ended: whether that was too late. By then its whole tree has ended. */
  ended: () => Promise<boolean>;
}>;

/**
 * Sends SIGTERM to the tree of a command after some milliseconds (at most 2^31 - 1), and kills what is left of it
 * 5 seconds later. Node's timers use the monotonic clock, which setting the time does not change.
 */
export function startTimeout(tree: ProcessTree, milliseconds: number): Timeout {
  let deadline: number | undefined;
  let isOver = false;
  const fire = (): void => {
    if (isOver) return;
    deadline = performance.now() + GRACE;
    timer = setTimeout(() => tree.kill(), GRACE);
    tree.remember();
    tree.signal('SIGTERM');
  };
  // The poll before an immediate reports a command that ended in time while this process was held up.
  let timer = setTimeout(() => void setImmediate(fire), milliseconds);
  return {
    async ended() {
      isOver = true;
      clearTimeout(timer);
      if (deadline === undefined) return false;
      if (!(await waitForExit(tree, deadline))) tree.kill();
      return true;
    },
  };
}
