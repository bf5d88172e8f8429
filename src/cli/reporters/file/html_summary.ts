import { isCommand } from '../../../ir/ops.ts';
import { at, type ParallelOp, type Plan } from '../../../ir/plan.ts';
import { isBad, countSteps, type StepCounts, type Report, type ReportOp } from './report.ts';

/** Maximum number of slow steps and failures in the summary. */
const MAX_SLOW = 3;
const MAX_FAILED = 10;

/** An op and its index in the report. */
export type ReportRow = Readonly<{ op: ReportOp; index: number }>;

/** A group of steps: the ops of the report from `start` up to but not including `end`. */
export type ReportGroup = Readonly<{ name: string; members: number; start: number; end: number }> &
  Pick<ParallelOp, 'call' | 'step'>;

/** A row with the groups around it, outermost first. `begun` are those of which it is the first row. */
type GroupedRow = ReportRow & Readonly<{ around: readonly ReportGroup[]; begun: readonly ReportGroup[] }>;

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
  groupSpans: ReadonlyMap<ReportGroup, TimeSpan>;
}>;

/** The groups of a plan, in order. A report contains all ops but those of the groups themselves. */
export function groupsOf({ ops }: Plan): readonly ReportGroup[] {
  /** The index in the report of each op, or of the first one after a group's. */
  const indexes = [0];
  for (const op of ops) indexes.push((indexes.at(-1) ?? 0) + (isCommand(op) ? 1 : 0));
  return ops.flatMap((op, index) => {
    if (op.kind !== 'parallel') return [];
    const { name, call, step, branches, end } = op;
    return { name, call, step, members: branches.length, start: at(indexes, index), end: at(indexes, end.op) };
  });
}

/** The ops with a row, with the groups that they are in. */
export function* groupedRows(report: Report, groups: readonly ReportGroup[]): Generator<GroupedRow> {
  const around: ReportGroup[] = [];
  let next = 0;
  for (const row of visibleOps(report)) {
    while ((around.at(-1)?.end ?? Infinity) <= row.index) around.pop();
    const begun: ReportGroup[] = [];
    for (let group = groups[next]; group !== undefined && group.start <= row.index; group = groups[next]) {
      next += 1;
      if (group.end > row.index) begun.push(group);
    }
    around.push(...begun);
    yield { ...row, around, begun };
  }
}

/** The ops with a row: all except conditions on variables, whose result the skipped steps show. */
function* visibleOps({ ops }: Report): Generator<ReportRow> {
  let index = 0;
  for (const op of ops) {
    if (op.kind !== 'condition' || op.attempts > 0) yield { op, index };
    index += 1;
  }
}

export function summarize(report: Report, groups: readonly ReportGroup[]): ReportSummary {
  const [ran, failed]: [ReportRow[], ReportRow[]] = [[], []];
  const spans: (TimeSpan | undefined)[] = report.calls.map(() => undefined);
  const widen = (call: number, span: TimeSpan): void => {
    spans[call] = union(spans[call], span);
  };
  const groupSpans = new Map<ReportGroup, TimeSpan>();
  for (const row of groupedRows(report, groups)) {
    const { kind, call, offset_ms, duration_ms } = row.op;
    if (isBad(row.op)) failed.push(row);
    if (offset_ms === null || duration_ms === null) continue;
    if (kind === 'step' && row.op.ready_ms === undefined) ran.push(row);
    const span = { from: offset_ms, to: offset_ms + duration_ms };
    if (call !== null) widen(call, span);
    for (const group of row.around) groupSpans.set(group, union(groupSpans.get(group), span));
  }
  const depths: number[] = [];
  // A caller precedes its calls.
  for (const { caller } of report.calls) depths.push(caller === null ? 0 : at(depths, caller) + 1);
  for (const [call, { caller }] of [...report.calls.entries()].toReversed()) {
    const span = spans[call];
    if (caller !== null && span !== undefined) widen(caller, span);
  }
  const slow = ran.toSorted((one, other) => (other.op.duration_ms ?? 0) - (one.op.duration_ms ?? 0));
  const shown = { slowest: slow.slice(0, MAX_SLOW), failed: failed.slice(0, MAX_FAILED) };
  const moreFailed = failed.length - shown.failed.length;
  return { counts: countSteps(report.ops), ...shown, moreFailed, depths, spans, groupSpans };
}

function union(one: TimeSpan | undefined, other: TimeSpan): TimeSpan {
  return { from: Math.min(one?.from ?? other.from, other.from), to: Math.max(one?.to ?? other.to, other.to) };
}
