import { isCommand } from '../../../ir/ops.ts';
import type { Outcome } from '../../../backend/run_event.ts';
import { at, type CommandOp } from '../../../ir/plan.ts';
import { maskedParams } from '../../../ir/secret_names.ts';
import { now, times } from '../moment.ts';
import type { ReportedRun } from '../reporter_type.ts';
import { identity, reportCall, type OpIdentity, type ReportCall } from './op_identity.ts';
import { reportedResult, type ReportedResult, countSteps, describeCounts } from './reported_result.ts';
import { VERSION } from '../../../base/version.ts';
import type { Revision, Surroundings } from './surroundings.ts';

/**
 * The JSON document of `--report`, from which the other formats are rendered. Every field is present; one without a
 * value is null. `ops` can be iterated more than once.
 */
export type Report = Readonly<{
  version: 1;
  workflow: string;
  success: boolean;
  interrupted: string | null;
  start: string;
  end: string;
  duration_ms: number;
  /** The number of steps of each status, in words. */
  summary: string;
  /** The version of `cli`. */
  tool: string;
  params: Readonly<Record<string, string>>;
  host: string;
  git: Revision | null;
  /** A note about missing parts of the report. */
  note?: string;
  calls: readonly ReportCall[];
  ops: Iterable<ReportOp>;
}>;

type OpLocation = Readonly<{ frame: string; file: string; line: number; column: number }>;

export type ReportOp = OpIdentity & ReportedResult & OpLocation;

/** The report, after the end of the run: `results` contains the result of every op. */
export function makeReport(run: ReportedRun, surroundings: Surroundings, { success, interrupted }: Outcome): Report {
  const { results } = run;
  const { plan } = run.prepared;
  const ops = { [Symbol.iterator]: () => reportOps(run) };
  return {
    version: 1,
    workflow: plan.workflow,
    success,
    interrupted: interrupted ?? null,
    ...times(results.start, now()),
    summary: describeCounts(countSteps(ops)),
    tool: VERSION,
    params: maskedParams(plan),
    ...surroundings,
    calls: plan.calls.map(reportCall),
    ops,
  };
}

function* reportOps({ prepared, text, results }: ReportedRun): Generator<ReportOp> {
  for (const [index, op] of prepared.plan.ops.entries()) {
    const result = results.of(index);
    if (!isCommand(op) || result === undefined) continue;
    yield reportOp(prepared, op, reportedResult(result, text, results.start));
  }
}

/** An op of a report, with its result. */
export function reportOp(
  { plan, position }: Pick<ReportedRun['prepared'], 'plan' | 'position'>,
  op: CommandOp,
  result: ReportedResult,
): ReportOp {
  const location = { frame: at(plan.frames, op.frame).source, ...position(op.offset) };
  // An object literal with these spreads takes six times the memory in Node 20.
  return Object.assign(identity(plan, op), result, location);
}
