import { GRACE, waitForExit } from './wait_for_exit.ts';
import type { ProcessTree } from './process_tree.ts';

/** A limit on the time that a command may take. */
export type Timeout = Readonly<{
  /** To be awaited when the command has ended: whether it was too late. All that it started has ended then too. */
  ended: () => Promise<boolean>;
}>;

/**
 * Asks the tree of a command to end after some milliseconds (at most 2^31 - 1), and kills what is left of it 5 seconds
 * later. Node's timers go by a clock that nobody sets.
 */
export function startTimeout(tree: ProcessTree, milliseconds: number): Timeout {
  let deadline: number | undefined;
  let isOver = false;
  const fire = (): void => {
    if (isOver) return;
    deadline = performance.now() + GRACE;
    timer = setTimeout(() => tree.kill(), GRACE);
    tree.signal('SIGTERM', 'all');
  };
  // Before an immediate comes a poll: it has the news of a command that was in time, if something held us up meanwhile.
  let timer = setTimeout(() => void setImmediate(fire), milliseconds);
  return {
    async ended() {
      isOver = true;
      clearTimeout(timer);
      if (deadline === undefined) return false;
      if (!(await waitForExit(tree, 'all', deadline))) tree.kill();
      return true;
    },
  };
}
