import { at } from '../../ir/plan.ts';
import type { Report, ReportOp } from './recorder.ts';

/** How many of the slowest steps and of the failures a summary names. */
const MOST_SLOW = 3;
const MOST_FAILED = 10;

/** An op and its number in the plan. */
export type Row = Readonly<{ op: ReportOp; index: number }>;

/** Milliseconds from the start of the run. */
export type Span = Readonly<{ from: number; to: number }>;

/** What is to be known of a whole run before the first line of a page about it. */
export type ReportSummary = Readonly<{
  /** How many steps there are of each status; a failure that is allowed is one of its own. */
  counts: ReadonlyMap<string, number>;
  slowest: readonly Row[];
  failed: readonly Row[];
  moreFailed: number;
  /** Of each call how deep it lies in others, and when it ran; undefined if nothing in it did. */
  depths: readonly number[];
  spans: readonly (Span | undefined)[];
}>;

/** What is worth a line: all but conditions that took no command to test, for what they skip says why. */
export function* visibleOps({ ops }: Report): Generator<Row> {
  let index = 0;
  for (const op of ops) {
    if (op.kind !== 'condition' || op.attempts > 0) yield { op, index };
    index += 1;
  }
}

export function summarize(report: Report): ReportSummary {
  const counts = new Map<string, number>();
  const [ran, failed]: [Row[], Row[]] = [[], []];
  const spans: (Span | undefined)[] = report.calls.map(() => undefined);
  const widen = (call: number, { from, to }: Span): void => {
    const old = spans[call] ?? { from, to };
    spans[call] = { from: Math.min(old.from, from), to: Math.max(old.to, to) };
  };
  for (const row of visibleOps(report)) {
    const { kind, status, call, offset_ms, duration_ms } = row.op;
    const counted = row.op.allowed ? 'allowed to fail' : status;
    if (kind === 'step') counts.set(counted, (counts.get(counted) ?? 0) + 1);
    if ((status === 'failed' || status === 'not started') && !row.op.allowed) failed.push(row);
    if (offset_ms === null || duration_ms === null) continue;
    if (kind === 'step') ran.push(row);
    if (call !== null) widen(call, { from: offset_ms, to: offset_ms + duration_ms });
  }
  const depths: number[] = [];
  // A call stands after the one that made it.
  for (const { caller } of report.calls) depths.push(caller === null ? 0 : at(depths, caller) + 1);
  for (const [call, { caller }] of [...report.calls.entries()].toReversed()) {
    const span = spans[call];
    if (caller !== null && span !== undefined) widen(caller, span);
  }
  const slow = ran.toSorted((one, other) => (other.op.duration_ms ?? 0) - (one.op.duration_ms ?? 0));
  const [slowest, named] = [slow.slice(0, MOST_SLOW), failed.slice(0, MOST_FAILED)];
  return { counts, slowest, failed: named, moreFailed: failed.length - named.length, depths, spans };
}
