import { attemptsOf, lastTime } from '../../../records/journal/fold_history.ts';
import { endOf, type RecordedRun, stateAfter, type RunState } from '../../../records/journal/journal.ts';
import type { SessionRecord } from '../../../records/journal/record.ts';
import type { RecordedPlan } from '../../../records/journal/directory/recorded_plan.ts';
import { commandPath } from '../../../ir/steps/command_path.ts';
import type { Moment } from '../../reporters/moment.ts';
import {
  describeResult,
  isBad,
  passedResult,
  reportedResult,
  countSteps,
  describeCounts,
} from '../../reporters/file/report.ts';
import type { Report, ReportOp, ReportedResult } from '../../reporters/file/report.ts';
import { OpResults, type OpenStatus, type Status } from '../../reporters/op_results.ts';
import { NO_SPAN, sessionEntry, type SessionEntry, type SessionSpan } from './session_entry.ts';
import { eventsOf, keyOf, sessionPlan, type SessionOp } from './session_events.ts';

/** The note of a report that is made from the record of a run. */
const NOTE = 'From the record of the run: without the output of commands.';

/** The note without a plan. */
const NOTE_WITHOUT_PLAN =
  'From the record of the run: without positions in the file, the output of commands, and steps that did not start.';

/** A command of a run, by which its log is found. */
export type CommandNumber = Readonly<{ session: number; n: number }>;

/** A result, or a command that is running. */
type RecordedResult = Omit<ReportedResult, 'status'> & Readonly<{ status: Status | OpenStatus }>;

/**
 * An op of a recorded run: the path of its step, its commands in the order of their starts, and the text of its result.
 */
export type RecordedOp = Omit<ReportOp, 'status'> &
  RecordedResult &
  Readonly<{ path: string; commands: readonly CommandNumber[]; result: string }>;

/** The report of a recorded run. `isPlanned`: it has the steps that did not start, and positions. */
export type RecordedReport = Omit<Report, 'ops'> &
  Readonly<{ ops: readonly RecordedOp[]; isPlanned: boolean; sessions: readonly SessionEntry[] }>;

type Params = Readonly<Record<string, string>>;

/** The records of a session, and its start (ISO 8601), if it is known. */
type ReportedSession = Readonly<{ session: number; start?: string; records: readonly SessionRecord[] }>;

/** The records of a run. `end` is undefined without the record of an end. `start` is ISO 8601. */
export type ReportedRun = Pick<Report, 'workflow' | 'start' | 'tool' | 'host'> &
  Readonly<{
    isRunning: boolean;
    sessions: readonly ReportedSession[];
    end: Readonly<{ success: boolean; interrupted: NodeJS.Signals | null; at: string }> | undefined;
  }>;

/** The report of a run from its record, and from the plans of its sessions. */
export function recordedReport(
  run: RecordedRun,
  state: RunState,
  params: Params,
  planOf: (session: number) => RecordedPlan | undefined,
): RecordedReport {
  const [first, last] = [run.sessions[0], run.sessions.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`run ${run.id} has no session`);
  const { workflow, at: start } = first.header;
  const { tool, host } = last.header;
  const sessions = run.sessions.map(({ header: { session, at }, records }) => ({ session, start: at, records }));
  const isRunning = state === 'running' || state === 'waiting';
  const reported = { workflow, start, tool, host, isRunning, sessions, end: endOf(last) };
  const { spans, ...report } = reportOf(reported, params, planOf);
  const entries = run.sessions.map((each, index) => {
    const own = each === last ? state : stateAfter(endOf(each));
    return sessionEntry(each, own, spans[index] ?? NO_SPAN);
  });
  return { ...report, sessions: entries };
}

/**
 * The report of a recorded run, wherever its record is. A step has the result of the last session, and the times of an
 * earlier one if that session keeps it.
 */
export function reportOf(
  run: ReportedRun,
  params: Params,
  planOf: (session: number) => RecordedPlan | undefined,
): Omit<RecordedReport, 'sessions'> & Readonly<{ spans: readonly SessionSpan[] }> {
  const { workflow, start, tool, host, sessions, end } = run;
  const from = Date.parse(start);
  const spans: SessionSpan[] = [];
  let took = 0;
  let to = from;
  let ops = new Map<string, RecordedOp>();
  let plan: RecordedPlan | undefined;
  for (const session of sessions) {
    const recorded = planOf(session.session);
    const before = earlierOps(session.records, ops);
    const isLast = session === sessions.at(-1);
    const first = session.records.find((record) => record.kind === 'start');
    const begun = Date.parse(session.start ?? (first?.kind === 'start' ? first.at : start));
    // Without the pauses between sessions.
    const own = sessionOps(run, session, recorded, begun - took);
    const added = own.map(([key, op]) => [key, joined(op, before(key))] as const);
    const bad = own.find(([, op]) => isBad(op))?.[1];
    const finished = isLast ? end : endOf(session);
    to = Math.max(begun, finished === undefined ? lastTime(session.records) : Date.parse(finished.at));
    const reason = bad === undefined ? null : `${bad.path}: ${bad.result}`;
    spans.push({ reason, offset_ms: took, duration_ms: to - begun });
    took += to - begun;
    // Without a plan, the session has only the commands that it started.
    ops = new Map(recorded === undefined ? [...ops, ...added] : added);
    plan = recorded ?? plan;
  }
  const all = [...ops.values()];
  return {
    version: 1,
    workflow,
    success: end?.success === true,
    interrupted: end?.interrupted ?? null,
    start,
    end: new Date(to).toISOString(),
    duration_ms: took,
    summary: describeCounts(countSteps(all.map(withKnownStatus))),
    tool,
    params,
    host,
    git: null,
    note: plan === undefined ? NOTE_WITHOUT_PLAN : NOTE,
    calls: plan?.calls ?? [{ workflow, caller: null, step: null, name: null }],
    ops: all,
    isPlanned: plan !== undefined,
    spans,
  };
}

/** An op as in a report after the end of a run, in which nothing is running. */
export function withKnownStatus({ status, ...op }: RecordedOp): ReportOp {
  return { ...op, status: isOpen(status) ? 'failed' : status };
}

/** The ops of a session by their ids, with its results and commands. */
function sessionOps(
  { workflow, sessions, isRunning, end }: ReportedRun,
  { session, records }: ReportedSession,
  recorded: RecordedPlan | undefined,
  runStart: number,
): (readonly [key: string, op: RecordedOp])[] {
  const isLast = sessions.at(-1)?.session === session;
  const runs = isLast && isRunning;
  const planned = sessionPlan(workflow, recorded, records);
  const results = new OpResults(planned.plan);
  const known = (op: number): { kind: 'finished' } | undefined =>
    planned.ops[op]?.status === 'kept' ? { kind: 'finished' } : undefined;
  results.begin({ known, isInterrupted: () => false }, momentOf(runStart));
  for (const { event, at } of eventsOf(planned, records, !runs)) results.follow(event, momentOf(at));
  if (isLast && end !== undefined) results.finish(end);
  const commands = new Map<string, CommandNumber[]>();
  const attempts = new Map<string, number>();
  for (const {
    start: { id, n, attempt },
  } of attemptsOf(records)) {
    const key = keyOf(id);
    commands.set(key, [...(commands.get(key) ?? []), { session, n }]);
    attempts.set(key, attempt);
  }
  return planned.ops.map((op, index) => {
    const key = keyOf(op.id);
    const [result, begun] = [results.of(index), results.startOf(index)];
    const reported =
      result !== undefined
        ? reportedResult(result, { cause: () => undefined }, results.start)
        : begun === undefined
          ? passedResult({ status: 'not reached', reason: null })
          : openResult(begun, results, index, { isRunning: runs, attempts: attempts.get(key) ?? 1 });
    return [key, recordedOp(op, reported, commands.get(key) ?? [])];
  });
}

export function isOpen(status: RecordedOp['status']): status is OpenStatus {
  return status === 'running' || status === 'starting' || status === 'ready';
}

/** The result of a command without an end. */
function openResult(
  start: Moment,
  results: OpResults,
  index: number,
  { isRunning, attempts }: Readonly<{ isRunning: boolean; attempts: number }>,
): RecordedResult {
  const ready_ms = results.readyMsOf(index);
  const status = ready_ms === undefined ? 'running' : ready_ms === null ? 'starting' : 'ready';
  const state = isRunning
    ? ({ status, reason: null } as const)
    : ({ status: 'failed', reason: 'its end was not recorded' } as const);
  const offset_ms = Math.max(0, start.wall - results.start.wall);
  const times = { start: new Date(start.wall).toISOString(), offset_ms, ...(ready_ms !== undefined && { ready_ms }) };
  return { ...passedResult({ status: 'not reached', reason: null }), ...state, ...times, attempts };
}

function recordedOp(op: SessionOp, result: RecordedResult, commands: readonly CommandNumber[]): RecordedOp {
  const { kind, name, workflow, call, step, command, frame, file, line, column } = op;
  const path = commandPath({ ...op, name: name ?? '' }).join('/');
  // An object literal with these spreads takes six times the memory in Node 20.
  return Object.assign(
    { kind, name, workflow, call, step, command, frame, file, line, column, path, commands },
    result,
    { result: describeResult(result) },
  );
}

/** An op with its commands in earlier sessions, and the times of a kept one. */
function joined(op: RecordedOp, before: RecordedOp | undefined): RecordedOp {
  if (before === undefined) return op;
  const commands = [...before.commands, ...op.commands];
  if (op.status !== 'kept') return { ...op, commands };
  const { attempts, start, end, duration_ms, offset_ms, exit_code, signal } = before;
  return { ...op, attempts, start, end, duration_ms, offset_ms, exit_code, signal, commands };
}

/** The ops of earlier sessions, by the ids that they have in a session. */
function earlierOps(
  records: readonly SessionRecord[],
  ops: ReadonlyMap<string, RecordedOp>,
): (key: string) => RecordedOp | undefined {
  const [moved, gone] = [new Map<string, string>(), new Set<string>()];
  for (const record of records) {
    if (record.kind === 'dropped') gone.add(keyOf(record.id));
    if (record.kind !== 'kept' && record.kind !== 'again') continue;
    moved.set(keyOf(record.id), keyOf(record.was));
    gone.add(keyOf(record.was));
  }
  return (key) => ops.get(moved.get(key) ?? (gone.has(key) ? '' : key));
}

function momentOf(ms: number): Moment {
  return { wall: ms, steady: ms };
}
