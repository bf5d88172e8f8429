import type { Plan } from '../plan.ts';

/** A branch of a group: its end, the end of the group, and the branch around the group. */
type Enclosing = Readonly<{ end: number; groupEnd: number; outer: Enclosing | undefined }>;

/**
 * Returns a function that tests whether any finished command comes after an op. The branches of a group run
 * concurrently, so none of them comes after another.
 */
export function finishedAfter({ ops }: Plan, isFinished: (op: number) => boolean): (op: number) => boolean {
  /** The number of finished ops before each index. */
  const counts = [0];
  for (const index of ops.keys()) counts.push((counts[index] ?? 0) + (isFinished(index) ? 1 : 0));
  const hasFinished = (start: number, end: number): boolean => (counts[end] ?? 0) > (counts[start] ?? 0);
  const branches = new Map<number, Enclosing>();
  for (const [index, op] of ops.entries()) {
    if (op.kind !== 'parallel') continue;
    const outer = branches.get(index);
    for (const { start, end } of op.branches) {
      const branch = { end: end.op, groupEnd: op.end.op, outer };
      for (let member = start.op; member < end.op; member += 1) branches.set(member, branch);
    }
  }
  return (op) => {
    let start = op + 1;
    for (let branch = branches.get(op); branch !== undefined; branch = branch.outer) {
      if (hasFinished(start, branch.end)) return true;
      start = branch.groupEnd;
    }
    return hasFinished(start, ops.length);
  };
}
