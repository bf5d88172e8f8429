import { isInBackground } from '../../../ir/ops.ts';
import { at, type Plan } from '../../../ir/plan.ts';
import { truncateLabel } from '../../../base/truncate.ts';
import { formatElapsed } from '../../output/quantities.ts';
import { elapsed, type EndedOp, type OpResults } from '../op_results.ts';
import type { Titles } from '../step_titles.ts';
import { isLong } from './usual_text.ts';

/** Steps that ran one after another, and their time together in milliseconds. */
type Chain = Readonly<{ steps: readonly EndedOp[]; ms: number }>;

/** The maximum number of steps of a chain that are named: the slowest ones. */
const NAMED = 5;

/** The parts of a run from which its longest chain is known. */
type ChainedRun = Readonly<{ prepared: Readonly<{ plan: Plan }>; results: OpResults; titles: Titles }>;

/** The chain of steps that a long run with groups could not be shorter than, as a text; undefined for other runs. */
export function longestChain({ prepared: { plan }, results, titles }: ChainedRun): string | undefined {
  if (!isLong(results) || !plan.ops.some(({ kind }) => kind === 'parallel')) return undefined;
  const { steps, ms } = chainOf(plan, results, 0, plan.ops.length);
  const slowest = new Set(steps.toSorted((one, other) => elapsed(other) - elapsed(one)).slice(0, NAMED));
  const names = steps.flatMap((step) => (slowest.has(step) ? truncateLabel(titles.inFull(step.op)) : []));
  if (names.length === 0) return undefined;
  const rest = steps.length - names.length;
  return `${names.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}: ${formatElapsed(ms)}`;
}

function chainOf(plan: Plan, results: OpResults, start: number, end: number): Chain {
  const steps: EndedOp[] = [];
  let ms = 0;
  const add = (chain: Chain): void => {
    steps.push(...chain.steps);
    ms += chain.ms;
  };
  for (let index = start; index < end; index += 1) {
    const [op, result] = [at(plan.ops, index), results.of(index)];
    if (op.kind === 'parallel') {
      const chains = op.branches.map((branch) => chainOf(plan, results, branch.start.op, branch.end.op));
      add(chains.reduce((longest, each) => (each.ms > longest.ms ? each : longest), { steps: [], ms: 0 }));
      index = op.end.op - 1;
    } else if (op.kind === 'run' && result?.kind === 'ended' && !isInBackground(op))
      add({ steps: [result], ms: elapsed(result) });
  }
  return { steps, ms };
}
