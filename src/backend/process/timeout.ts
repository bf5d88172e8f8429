import { GRACE_PERIOD, waitForExit } from './wait_for_exit.ts';
import type { ProcessTree } from './end_process_tree.ts';

/** The reason why a command was ended. */
export type EndReason = 'timed out' | 'cancelled';

/** A running command that can be ended early, at its time limit or by `cancel`. */
export type Deadline = Readonly<{
  cancel: () => void;
  /** Removes the time limit. */
  lift: () => void;
  /**
   * Must be awaited after the command has ended. Returns the reason if it was ended early; its whole tree has then
   * ended. `endsRest`: the rest of the tree is ended in any case.
   */
  ended: (endsRest?: boolean) => Promise<EndReason | undefined>;
}>;

/**
 * Sends SIGTERM to the tree of a command after some milliseconds (at most 2^31 - 1; null for no limit), and kills the
 * rest 5 seconds later. Node's timers use the monotonic clock, which setting the time does not change.
 */
export function startTimeout(tree: ProcessTree, milliseconds: number | null): Deadline {
  let deadline: number | undefined;
  let reason: EndReason | undefined;
  let isOver = false;
  const end = (why: EndReason): void => {
    if (isOver || reason !== undefined) return;
    reason = why;
    terminate();
  };
  const terminate = (): void => {
    clearTimeout(timer);
    tree.signal('SIGTERM');
    deadline = performance.now() + GRACE_PERIOD;
    timer = setTimeout(() => tree.kill(), GRACE_PERIOD);
  };
  // The poll before an immediate reports a command that ended in time while this process was delayed.
  const expire = (): void => void setImmediate(() => end('timed out'));
  let timer = milliseconds === null ? undefined : setTimeout(expire, milliseconds);
  return {
    cancel: () => end('cancelled'),
    lift: () => {
      if (reason === undefined) clearTimeout(timer);
    },
    async ended(endsRest = false) {
      isOver = true;
      if (endsRest && deadline === undefined) terminate();
      clearTimeout(timer);
      if (deadline === undefined) return undefined;
      if (!(await waitForExit(tree, deadline))) tree.kill();
      return reason;
    },
  };
}
