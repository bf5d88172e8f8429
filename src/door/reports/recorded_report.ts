import { attemptsOf, isKept, type Attempt } from '../../journal/fold_history.ts';
import { endOf, type RecordedRun } from '../../journal/journal.ts';
import type { SessionRecord } from '../../journal/record.ts';
import type { RecordedPlan } from '../../journal/directory/recorded_plan.ts';
import type { RunState } from '../../journal/run_state.ts';
import { commandPath } from '../../ir/steps/command_path.ts';
import { formatDuration } from '../../ir/views/format_duration.ts';
import { groupNumber, plainNumber } from '../../ir/step_number.ts';
import type { Report, ReportOp } from '../../reporters/file/report.ts';
import type { Status } from '../../reporters/op_results.ts';
import { passedResult } from '../../reporters/file/reported_result.ts';
import { countSteps, describeCounts } from '../../reporters/file/step_counts.ts';
import { signalOf } from '../../reporters/op_text.ts';

/** The note of a report that is made from the record of a run. */
const NOTE = 'From the record of the run: without the output of commands.';

/** The note without a plan. */
const NOTE_WITHOUT_PLAN =
  'From the record of the run: without positions in the file, the output of commands, and steps that did not start.';

/** A command of a run, by which its log is found. */
export type CommandNumber = Readonly<{ session: number; n: number }>;

/** An op of a recorded run: the path of its step, and its commands in the order of their starts. */
export type RecordedOp = Omit<ReportOp, 'status'> &
  Readonly<{ status: Status | 'running'; path: string; commands: readonly CommandNumber[] }>;

/** The report of a recorded run. `isPlanned`: it has the steps that did not start, and positions. */
export type RecordedReport = Omit<Report, 'ops'> & Readonly<{ ops: readonly RecordedOp[]; isPlanned: boolean }>;

type Id = readonly string[];
type Params = Readonly<Record<string, string>>;

/** What a run has recorded. `end` is undefined without the record of an end. `start` is ISO 8601. */
export type ReportedRun = Readonly<{
  workflow: string;
  start: string;
  tool: string;
  host: string;
  isRunning: boolean;
}> &
  Readonly<{
    sessions: readonly Readonly<{ session: number; records: readonly SessionRecord[] }>[];
    end: Readonly<{ success: boolean; interrupted: NodeJS.Signals | null; at: string }> | undefined;
  }>;

/** The report of a run from its record, and from the plan of its latest session that has one. */
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
  const sessions = run.sessions.map(({ header: { session }, records }) => ({ session, records }));
  const reported = { workflow, start, tool, host, isRunning: state === 'running', sessions, end: endOf(last) };
  return reportOf(reported, params, planOf);
}

/** The report of a recorded run, wherever its record is. A step has the result of its last attempt, in whichever session. */
export function reportOf(
  { workflow, start, tool, host, isRunning, sessions, end }: ReportedRun,
  params: Params,
  planOf: (session: number) => RecordedPlan | undefined,
): RecordedReport {
  const from = Date.parse(start);
  const fold = new Fold(from, isRunning ? (sessions.at(-1)?.session ?? null) : null);
  let plan: RecordedPlan | undefined;
  let planned = 0;
  for (const { session } of sessions.toReversed()) {
    plan = planOf(session);
    planned = session;
    if (plan !== undefined) break;
  }
  for (const { session, records } of sessions) fold.addSession(session, records);
  const ops = plan === undefined ? [...fold.started(0)] : [...fold.planned(plan), ...fold.started(planned, plan)];
  const to = end === undefined ? Math.max(from, fold.latest) : Date.parse(end.at);
  return {
    version: 1,
    workflow,
    success: end?.success === true,
    interrupted: end?.interrupted ?? null,
    start,
    end: new Date(to).toISOString(),
    duration_ms: Math.max(0, to - from),
    summary: describeCounts(countSteps(ops.map(withKnownStatus))),
    tool,
    params,
    host,
    git: null,
    note: plan === undefined ? NOTE_WITHOUT_PLAN : NOTE,
    calls: plan?.calls ?? [{ workflow, caller: null, step: null, name: null }],
    ops,
    isPlanned: plan !== undefined,
  };
}

/** An op as in a report after the end of a run, in which nothing is running. */
export function withKnownStatus({ status, ...op }: RecordedOp): ReportOp {
  return { ...op, status: status === 'running' ? 'failed' : status };
}

/** The last attempt at a command, its session, and when the first attempt of that session started (ISO 8601). */
type LastAttempt = Attempt & Readonly<{ session: number; first: string }>;

/** Collects the last attempts at the commands of a run, by the ids of their ops. */
class Fold {
  /** The latest time in the records, in milliseconds since 1970. */
  latest = 0;
  readonly #start: number;
  readonly #running: number | null;
  readonly #attempts = new Map<string, LastAttempt>();
  readonly #commands = new Map<string, CommandNumber[]>();
  readonly #decisions = new Map<string, boolean>();
  readonly #kept = new Set<string>();

  /** `running` is the session that is running, null if there is none. */
  constructor(start: number, running: number | null) {
    this.#start = start;
    this.#running = running;
  }

  addSession(session: number, records: readonly SessionRecord[]): void {
    // What a resume does not keep, it runs again.
    for (const [key, attempt] of this.#attempts) if (!isKept(attempt)) this.#attempts.delete(key);
    this.#move(records);
    for (const each of records) if (each.kind === 'decide') this.#decisions.set(keyOf(each.id), each.holds);
    for (const { start, end } of attemptsOf(records)) {
      const key = keyOf(start.id);
      const before = start.attempt > 1 ? this.#attempts.get(key) : undefined;
      const first = before?.session === session ? before.first : start.at;
      this.#attempts.delete(key);
      this.#attempts.set(key, { start, end, session, first });
      this.#commands.set(key, [...(this.#commands.get(key) ?? []), { session, n: start.n }]);
      if (end?.holds !== undefined) this.#decisions.set(key, end.holds);
      this.latest = Math.max(this.latest, Date.parse(start.at) + (end?.ms ?? 0));
    }
  }

  /** The ops of a plan in their order. */
  *planned({ calls, ops }: RecordedPlan): Generator<RecordedOp> {
    const unmet = new Set<string>();
    for (const { id, kind, call, step } of ops) {
      const isUnmet = kind === 'condition' && this.#decisions.get(keyOf(id)) === false;
      if (isUnmet) unmet.add(`${call} ${step}`);
    }
    const isSkipped = (call: number | null, step: string | number | null): boolean => {
      for (let [at, own] = [call, step]; at !== null && own !== null;) {
        for (let number = String(own); number !== ''; number = groupNumber(number)) {
          if (unmet.has(`${at} ${number}`) || unmet.has(`${at} ${plainNumber(number)}`)) return true;
        }
        [at, own] = [calls[at]?.caller ?? null, calls[at]?.step ?? null];
      }
      return false;
    };
    for (const op of ops) {
      const { id, kind, call, step } = op;
      const key = keyOf(id);
      const path = commandPath({ ...op, name: op.name ?? '' }).join('/');
      const about = { ...op, path, commands: this.#commands.get(key) ?? [] };
      const attempt = this.#attempts.get(key);
      if (attempt !== undefined) {
        yield { ...about, ...this.#resultOf(attempt) };
        continue;
      }
      const decided = kind === 'condition' ? this.#decisions.get(key) : undefined;
      const passed =
        decided === undefined
          ? this.#kept.has(key)
            ? 'kept'
            : isSkipped(call, step)
              ? 'skipped'
              : 'not reached'
          : decided
            ? 'met'
            : 'not met';
      yield { ...about, ...passedResult({ status: passed, reason: null }), status: passed };
    }
  }

  /** The ops that have started since a session began, in the order of their last starts, without those of a plan. */
  *started(since: number, plan?: RecordedPlan): Generator<RecordedOp> {
    const planned = new Set(plan?.ops.map(({ id }) => keyOf(id)));
    for (const [key, attempt] of this.#attempts) {
      const { what: kind, name, print } = attempt.start;
      if (planned.has(key) || attempt.session < since) continue;
      const path = commandPath({ ...attempt.start, kind }).join('/');
      const about = { kind, name: kind === 'step' ? path : name, workflow: null, call: 0, step: null };
      const place = { command: print.command, frame: '', file: '', line: 0, column: 0 };
      yield { ...about, ...place, ...this.#resultOf(attempt), path, commands: this.#commands.get(key) ?? [] };
    }
  }

  /** Steps that a resume keeps under other ids, or runs again. */
  #move(records: readonly SessionRecord[]): void {
    for (const record of records) if (record.kind === 'dropped') this.#attempts.delete(keyOf(record.id));
    const moves = records.filter((record) => record.kind === 'kept' || record.kind === 'again');
    const moved = moves.map(({ was }) => [this.#attempts.get(keyOf(was)), this.#commands.get(keyOf(was))] as const);
    for (const { was } of moves) this.#attempts.delete(keyOf(was));
    for (const [index, { kind, id }] of moves.entries()) {
      const [attempt, commands] = moved[index] ?? [];
      if (kind === 'kept') this.#kept.add(keyOf(id));
      if (kind === 'kept' && attempt !== undefined) this.#attempts.set(keyOf(id), attempt);
      if (commands !== undefined) this.#commands.set(keyOf(id), commands);
    }
  }

  #resultOf({ start, end, session, first }: LastAttempt): Omit<RecordedOp, 'path' | 'commands' | keyof Identified> {
    const from = Date.parse(first);
    const took = end === undefined ? null : Math.max(0, Date.parse(start.at) + end.ms - from);
    const exit = end?.exit ?? null;
    const isRunning = end === undefined && session === this.#running;
    return {
      status: isRunning ? 'running' : statusOf({ start, end }),
      reason: isRunning ? null : reasonOf(end),
      attempts: start.attempt,
      allowed: end?.allowed === true,
      start: first,
      end: took === null ? null : new Date(from + took).toISOString(),
      duration_ms: took,
      offset_ms: Math.max(0, from - this.#start),
      exit_code: exit,
      signal: exit === null ? null : (signalOf(exit) ?? null),
      output: null,
    };
  }
}

/** The fields of an op that its result does not have. */
type Identified = Omit<ReportOp, keyof ReturnType<typeof passedResult>>;

function reasonOf(end: Attempt['end']): string | null {
  if (end === undefined) return 'its end was not recorded';
  if (end.limit !== undefined) return `timed out after ${formatDuration(end.limit)}`;
  return end.cancelled === true ? 'cancelled' : (end.why ?? null);
}

function statusOf({ start: { what }, end }: Attempt): Status {
  if (what === 'condition' && end !== undefined && !end.failed) return end.exit === 0 ? 'met' : 'not met';
  if (what === 'condition' && end?.holds !== undefined) return end.holds ? 'met' : 'not met';
  return end?.failed === false ? 'succeeded' : 'failed';
}

function keyOf(id: Id): string {
  return JSON.stringify(id);
}
