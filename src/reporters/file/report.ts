import type { Outcome, RunEvent } from '../../backend/run_event.ts';
import { at, runsAfterFailure, type CommandOp, type Op } from '../../ir/plan.ts';
import { unreachable } from '../../unreachable.ts';
import { now, times, type Moment } from './moment.ts';
import type { FailureText } from '../failure_text.ts';
import { identity, reportCall, type OpIdentity, type ReportCall } from './op_identity.ts';
import { notRun, resultOf, type Execution, type ReportedResult, type PassedStatus } from './op_result.ts';
import { declineReason, skipReason } from '../op_text.ts';
import type { Prepared } from '../../driver/prepare.ts';
import { VERSION } from '../../version.ts';
import { countSteps, describeCounts } from './step_counts.ts';
import { maskedParams, type Revision, type Surroundings } from './surroundings.ts';

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
  /** A note about the missing parts of a report made from the record of a run. */
  note?: string;
  calls: readonly ReportCall[];
  ops: Iterable<ReportOp>;
}>;

type OpLocation = Readonly<{ frame: string; file: string; line: number; column: number }>;

export type ReportOp = OpIdentity & ReportedResult & OpLocation;

/** Records the commands of a run for its report. */
export class ReportRecorder {
  readonly #prepared: Prepared;
  readonly #text: FailureText;
  readonly #surroundings: Surroundings;
  readonly #executions = new Map<CommandOp, Execution>();
  readonly #start = now();
  readonly #unmet = new Set<Op>();
  readonly #startTimes = new Map<Op, Moment>();
  /** The ops in groups with an event. */
  readonly #seen = new Set<Op>();
  readonly #passed = new Map<Op, PassedStatus>();
  /** The last op reached before a failure. */
  #reached: Op | undefined;
  readonly #declined = new Map<Op, string | null>();

  constructor(prepared: Prepared, text: FailureText, surroundings: Surroundings) {
    this.#prepared = prepared;
    this.#text = text;
    this.#surroundings = surroundings;
  }

  onEvent(event: RunEvent): void {
    // A call without steps has no entry.
    if (event.kind === 'refused') return;
    const { op } = event;
    if (event.kind === 'kept' || event.kind === 'left out') {
      this.#passed.set(op, event.kind);
      return;
    }
    this.#seen.add(op);
    if (!runsAfterFailure(op)) this.#reached = op;
    switch (event.kind) {
      case 'started':
        this.#startTimes.set(op, now());
        break;
      case 'ended': {
        const { exit, attempts } = event;
        const start = this.#startTimes.get(op) ?? this.#start;
        const output = exit.printed?.lines() ?? null;
        this.#executions.set(event.op, { start, end: now(), attempts, exit, output });
        break;
      }
      case 'waiting':
      case 'group started':
      case 'member output':
      case 'group ended':
        break;
      case 'declined':
        this.#declined.set(op, declineReason(event));
        break;
      case 'skipped':
        this.#unmet.add(op);
        break;
      default:
        unreachable(event);
    }
  }

  /** The report, after the end of the run. */
  report({ success, interrupted }: Outcome): Report {
    const { plan } = this.#prepared;
    const start = this.#start;
    const end = now();
    const ops = { [Symbol.iterator]: () => this.#ops(success) };
    return {
      version: 1,
      workflow: plan.workflow,
      success,
      interrupted: interrupted ?? null,
      ...times(start, end),
      summary: describeCounts(countSteps(ops)),
      tool: VERSION,
      params: maskedParams(plan),
      ...this.#surroundings,
      calls: plan.calls.map(reportCall),
      ops,
    };
  }

  *#ops(success: boolean): Generator<ReportOp> {
    const { plan, position } = this.#prepared;
    const reached = success ? plan.ops.length : plan.ops.findIndex((op) => op === this.#reached);
    let skipped = { until: 0, reason: '' };
    let groupEnd = 0;
    for (const [index, op] of plan.ops.entries()) {
      if (op.kind === 'parallel') {
        groupEnd = Math.max(groupEnd, op.end.op);
        continue;
      }
      const { until, reason } = skipped;
      const isSkipped = index < until && !this.#passed.has(op);
      // In a group, later ops of the plan may have run earlier.
      const isReached = index < groupEnd ? success || this.#isPassed(op, index) : index <= reached;
      const result = isSkipped ? notRun('skipped', reason) : this.#result(op, isReached, success);
      if (op.kind === 'condition' && result.status === 'not met')
        skipped = { until: op.target, reason: skipReason(op, this.#executions.get(op)?.exit ?? null) };
      const frame = at(plan.frames, op.frame).source;
      yield { ...identity(plan, op), ...result, frame, ...position(op.offset) };
    }
  }

  /** Whether the run has reached a condition in a group, or an op that it guards. */
  #isPassed(op: CommandOp, index: number): boolean {
    const end = op.kind === 'condition' ? op.target : index + 1;
    return this.#prepared.plan.ops.slice(index, end).some((each) => this.#seen.has(each));
  }

  #result(op: CommandOp, isReached: boolean, success: boolean): ReportedResult {
    const execution = this.#executions.get(op);
    if (execution !== undefined) return resultOf(op, execution, this.#text, this.#start);
    const passed = this.#passed.get(op);
    if (passed !== undefined) return notRun(passed);
    if (this.#unmet.has(op)) return notRun('not met');
    const declined = this.#declined.get(op);
    if (declined !== undefined) return notRun('declined', declined);
    if (op.kind === 'hook' && op.when === 'failure' && success) return notRun('skipped', 'nothing failed');
    // A condition on a variable runs no command.
    if (op.kind !== 'condition' || op.test.kind === 'command' || !isReached) return notRun('not reached');
    return notRun('met');
  }
}
