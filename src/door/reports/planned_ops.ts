import type { Prepared } from '../../driver/prepare.ts';
import { at } from '../../ir/plan.ts';
import { CommandPaths } from '../../ir/steps/command_path.ts';
import { identity } from '../../reporters/file/op_identity.ts';
import type { ReportOp } from '../../reporters/file/report.ts';
import { passedResult } from '../../reporters/file/reported_result.ts';

/** An op of a plan with the id of its records, and its path of names. */
type PlannedOp = ReportOp & ReturnType<CommandPaths['of']>;

/** The ops of a plan in a report in which no step has been reached. */
export function* plannedOps({ plan, position }: Pick<Prepared, 'plan' | 'position'>): Generator<PlannedOp> {
  const result = passedResult({ status: 'not reached', reason: null });
  const paths = new CommandPaths(plan);
  for (const [index, op] of plan.ops.entries()) {
    if (op.kind === 'parallel') continue;
    const frame = at(plan.frames, op.frame).source;
    const about = identity(plan, op);
    const ids = paths.of(index, about.kind, about.name ?? '');
    yield { ...ids, ...about, ...result, frame, ...position(op.offset) };
  }
}
