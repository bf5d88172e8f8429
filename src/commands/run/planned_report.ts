import type { Prepared } from '../../driver/prepare.ts';
import { CommandPaths } from '../../ir/steps/command_path.ts';
import { at } from '../../ir/plan.ts';
import { documentPieces } from '../../output/document.ts';
import { VERSION } from '../../version.ts';
import { maskedParams } from '../../ir/secrets.ts';
import { now, times } from '../../reporters/file/moment.ts';
import { identity, reportCall } from '../../reporters/file/op_identity.ts';
import type { Report, ReportOp } from '../../reporters/file/report.ts';
import { passedResult } from '../../reporters/file/reported_result.ts';
import { countSteps, describeCounts } from '../../reporters/file/step_counts.ts';

/** An op with the id of its records, and its path of names. */
type PlannedOp = ReportOp & ReturnType<CommandPaths['of']>;

/** The text of the report of a session before its first command: it has reached no step. */
export function plannedReport(prepared: Prepared, host: string): Iterable<string> {
  const { plan } = prepared;
  const ops = { [Symbol.iterator]: () => plannedOps(prepared) };
  const moment = now();
  const report: Report = {
    version: 1,
    workflow: plan.workflow,
    success: false,
    interrupted: null,
    ...times(moment, moment),
    summary: describeCounts(countSteps(ops)),
    tool: VERSION,
    params: maskedParams(plan),
    host,
    git: null,
    calls: plan.calls.map(reportCall),
    ops,
  };
  return documentPieces(report, '');
}

function* plannedOps({ plan, position }: Prepared): Generator<PlannedOp> {
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
