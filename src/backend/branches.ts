import type { Branch, ParallelOp } from '../ir/plan.ts';
import type { BranchRunner, CommandRunner } from './command_runner.ts';

/** `run` runs a branch and returns whether it failed. `announceOutput` is called before the output of a branch. */
type BranchSettings = Readonly<{
  run: (branch: Branch, runner: BranchRunner) => Promise<boolean>;
  announceOutput: (branch: Branch) => void;
}>;

/**
 * Runs the branches of a group, at most `maxParallel` at a time, and returns whether any failed. Branches start in
 * order. With `failFast`, the first failure cancels the others; without it, waiting branches still start.
 */
export async function runBranches(
  op: ParallelOp,
  runner: CommandRunner,
  { run, announceOutput }: BranchSettings,
): Promise<boolean> {
  const { branches, group } = op;
  const { maxParallel, failFast, output } = group;
  const waiting = branches.values();
  const running = new Set<BranchRunner>();
  let failed = false;
  const isOver = (): boolean => runner.interruption !== undefined || runner.isCancelled || (failed && failFast);
  /** Runs branches from the queue that all workers share. */
  const work = async (): Promise<void> => {
    for (const branch of waiting) {
      if (isOver()) return;
      const own = runner.fork({ name: branch.name, output });
      running.add(own);
      const hasFailed = await run(branch, own);
      running.delete(own);
      failed ||= hasFailed;
      if (hasFailed && failFast) for (const other of running) other.cancel();
      // Nothing may be printed between this event and the output.
      if (own.hasOutput) announceOutput(branch);
      own.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxParallel ?? Infinity, branches.length) }, work));
  return failed;
}
