import type { Branch, ParallelOp } from '../ir/plan.ts';
import { isStopped, type BranchRunner, type CommandRunner } from './command_runner.ts';

/**
 * `run` runs a branch and returns whether it failed. It calls its last argument as soon as the branch has failed: hooks
 * may follow. `onFailure` is called as soon as the group has failed and no further step of it will start on its own.
 * `announceOutput` is called before the output of a branch.
 */
type BranchSettings = Readonly<{
  run: (branch: Branch, runner: BranchRunner, onFailure: () => void) => Promise<boolean>;
  onFailure: () => void;
  announceOutput: (branch: Branch) => void;
}>;

/**
 * Runs the branches of a group, at most `maxParallel` at a time, and returns whether any failed. Branches start in
 * order. With `failFast`, the first failure cancels the others; without it, waiting branches still start.
 */
export async function runBranches(
  op: ParallelOp,
  runner: CommandRunner,
  { run, onFailure, announceOutput }: BranchSettings,
): Promise<boolean> {
  const { branches, group } = op;
  const { maxParallel, failFast, output } = group;
  const waiting = branches.values();
  const running = new Set<BranchRunner>();
  /** The branches that have neither ended nor failed. */
  const active = new Set(branches);
  let failed = false;
  const isOver = (): boolean => isStopped(runner) || (failed && failFast);
  const settle = (branch: Branch, own: BranchRunner, hasFailed: boolean): void => {
    if (!active.delete(branch)) return;
    failed ||= hasFailed;
    if (hasFailed && failFast) for (const other of running) if (other !== own) other.cancel();
    if (failed && (failFast || active.size === 0)) onFailure();
  };
  /** Runs branches from the queue that all workers share. */
  const work = async (): Promise<void> => {
    for (const branch of waiting) {
      if (isOver()) return;
      const own = runner.fork({ branch, output });
      running.add(own);
      const hasFailed = await run(branch, own, () => settle(branch, own, true));
      settle(branch, own, hasFailed);
      running.delete(own);
      // Nothing may be printed between this event and the output.
      if (own.hasOutput) announceOutput(branch);
      own.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxParallel ?? Infinity, branches.length) }, work));
  return failed;
}
