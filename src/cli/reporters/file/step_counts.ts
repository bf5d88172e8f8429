import { formatElapsed, formatStepCount } from '../../output/quantities.ts';
import type { OpResults } from '../op_results.ts';
import type { OpIdentity } from './op_identity.ts';
import type { ReportedResult } from './reported_result.ts';

type CountedOp = Pick<OpIdentity, 'kind'> & Pick<ReportedResult, 'allowed' | 'status'>;

/** The number of steps of each status, in the order of the plan; allowed failures count separately. */
export type StepCounts = ReadonlyMap<string, number>;

/** The statuses of steps that did not run in this session. */
const NOT_RUN: ReadonlySet<string> = new Set(['kept', 'left out', 'skipped', 'not started', 'declined', 'not reached']);

export function countSteps(ops: Iterable<CountedOp>): StepCounts {
  const counts = new Map<string, number>();
  for (const { kind, allowed, status } of ops) {
    if (kind !== 'step') continue;
    const counted = allowed ? 'allowed to fail' : status;
    counts.set(counted, (counts.get(counted) ?? 0) + 1);
  }
  return counts;
}

/** Whether no step ran, which makes success meaningless. */
export function isEmpty(counts: StepCounts): boolean {
  return [...counts.keys()].every((status) => NOT_RUN.has(status));
}

/** The counts as text: `2 succeeded, 1 skipped`, or `no step ran: 3 skipped`. */
export function describeCounts(counts: StepCounts): string {
  if (counts.size === 0) return 'the workflow has no steps';
  const text = [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
  return isEmpty(counts) ? `no step ran: ${text}` : text;
}

/** The counts of a run and its time: `3 steps ran, 1 skipped, 1.2 s`. An allowed failure counts by its status. */
export function runCounts({ steps, ms }: OpResults): string {
  const counts = countSteps(steps.map(({ status }) => ({ kind: 'step', allowed: false, status })));
  const ran = [...counts].reduce((sum, [status, count]) => sum + (NOT_RUN.has(status) ? 0 : count), 0);
  const others = [...NOT_RUN].filter((status) => counts.has(status)).map((status) => `${counts.get(status)} ${status}`);
  return [`${formatStepCount(ran)} ran`, ...others, formatElapsed(ms)].join(', ');
}
