import { at } from '../../ir/plan.ts';
import { isBad } from './reported_result.ts';
import type { Report, ReportOp } from './report.ts';
import { countSteps, type StepCounts } from './step_counts.ts';

/** Maximum number of slow steps and failures in the summary. */
const MAX_SLOW = 3;
const MAX_FAILED = 10;

/** An op and its index in the plan. */
export type ReportRow = Readonly<{ op: ReportOp; index: number }>;

/** Milliseconds from the start of the run. */
export type TimeSpan = Readonly<{ from: number; to: number }>;

/** The totals of a run, which the page needs before its first row. */
export type ReportSummary = Readonly<{
  counts: StepCounts;
  slowest: readonly ReportRow[];
  failed: readonly ReportRow[];
  moreFailed: number;
  /** The nesting depth of each call, and the time span of its steps, if any ran. */
  depths: readonly number[];
  spans: readonly (TimeSpan | undefined)[];
}>;

/** The ops with a row: all except conditions on variables, whose result the skipped steps show. */
export function* visibleOps({ ops }: Report): Generator<ReportRow> {
  let index = 0;
  for (const op of ops) {
    if (op.kind !== 'condition' || op.attempts > 0) yield { op, index };
    index += 1;
  }
}

export function summarize(report: Report): ReportSummary {
  const [ran, failed]: [ReportRow[], ReportRow[]] = [[], []];
  const spans: (TimeSpan | undefined)[] = report.calls.map(() => undefined);
  const widen = (call: number, { from, to }: TimeSpan): void => {
    const old = spans[call] ?? { from, to };
    spans[call] = { from: Math.min(old.from, from), to: Math.max(old.to, to) };
  };
  for (const row of visibleOps(report)) {
    const { kind, call, offset_ms, duration_ms } = row.op;
    if (isBad(row.op)) failed.push(row);
    if (offset_ms === null || duration_ms === null) continue;
    if (kind === 'step') ran.push(row);
    if (call !== null) widen(call, { from: offset_ms, to: offset_ms + duration_ms });
  }
  const depths: number[] = [];
  // A caller precedes its calls.
  for (const { caller } of report.calls) depths.push(caller === null ? 0 : at(depths, caller) + 1);
  for (const [call, { caller }] of [...report.calls.entries()].toReversed()) {
    const span = spans[call];
    if (caller !== null && span !== undefined) widen(caller, span);
  }
  const slow = ran.toSorted((one, other) => (other.op.duration_ms ?? 0) - (one.op.duration_ms ?? 0));
  const [slowest, named] = [slow.slice(0, MAX_SLOW), failed.slice(0, MAX_FAILED)];
  return {
    counts: countSteps(report.ops),
    slowest,
    failed: named,
    moreFailed: failed.length - named.length,
    depths,
    spans,
  };
}
