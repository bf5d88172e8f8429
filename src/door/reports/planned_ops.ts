import type { Prepared } from '../../driver/prepare.ts';
import { CommandPaths } from '../../ir/steps/command_path.ts';
import { reportOp, type ReportOp } from '../../reporters/file/report.ts';
import { passedResult } from '../../reporters/file/reported_result.ts';

/** An op of a plan with the id of its records, and its path of names. */
type PlannedOp = ReportOp & ReturnType<CommandPaths['of']>;

/** The ops of a plan in a report in which no step has been reached. */
export function* plannedOps(prepared: Pick<Prepared, 'plan' | 'position'>): Generator<PlannedOp> {
  const { plan } = prepared;
  const result = passedResult({ status: 'not reached', reason: null });
  const paths = new CommandPaths(plan);
  for (const [index, op] of plan.ops.entries()) {
    if (op.kind === 'parallel') continue;
    const planned = reportOp(prepared, op, result);
    yield Object.assign(paths.of(index, planned.kind, planned.name ?? ''), planned);
  }
}
