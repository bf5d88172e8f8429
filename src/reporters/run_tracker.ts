import { hasFailed, isAllowed, type Exit } from '../backend/command_runner.ts';
import type { RunEvent } from '../backend/run_event.ts';
import { at, type CommandOp, type ConditionOp, type Op, type ParallelOp, type Plan } from '../ir/plan.ts';
import type { RunOp, StepPosition } from '../ir/plan.ts';
import { formatStepCount, formatElapsed } from '../output/quantities.ts';
import { truncateLine } from '../truncate.ts';
import { unreachable } from '../unreachable.ts';
import { skipReason } from './op_text.ts';
import { Titles } from './titles.ts';

/** A step or hook that starts. A hook has the workflow `''` and is not counted. */
export type StartedOp = Readonly<{ kind: 'started'; op: CommandOp; title: string; workflow: string; count: StepCount }>;

/** The number of a step, and of all steps that have run or may still run. */
export type StepCount = Readonly<{ number: number; total: number }>;

/** A failed attempt that will be repeated. */
export type WaitingOp = Readonly<{ kind: 'waiting'; op: RunOp; title: string; exit: Exit; attempt: number }>;

/** A step or hook that ended, or a condition that could not be tested; `ms` covers all its attempts. */
export type FinishedOp = Readonly<{ kind: 'finished'; op: CommandOp; title: string; workflow: string; exit: Exit }> & {
  readonly failed: boolean;
  /** The failure is allowed by the step. */
  readonly allowed: boolean;
  readonly attempts: number;
  readonly ms: number;
};

/** A step, or a call of `steps` steps, whose condition does not hold. `name` is not truncated. */
export type SkippedOp = Readonly<{ kind: 'skipped'; op: ConditionOp; title: string; reason: string }> &
  Readonly<{ name: string; isCall: boolean; steps: number; workflow: string }>;

/** A call without steps that failed because a reference has no value. */
export type RefusedCall = Readonly<{ kind: 'refused'; step: StepPosition; reason: string }>;

/** A step that does not run because of its question. */
export type DeclinedOp = RunEvent & { kind: 'declined' };

/** An event about a group itself. */
export type GroupChange = RunEvent & { kind: 'group started' | 'member output' | 'group ended' };

/** The progress in the plan, or in a branch of a group: the next op and the next call. */
type Lane = { next: number; call: number };

/** Follows a run through its plan in linear time and keeps its history. Titles are truncated. */
export class RunTracker {
  readonly history: (FinishedOp | SkippedOp)[] = [];
  readonly #plan: Plan;
  readonly #titles: Titles;
  readonly #isPassed: (op: number) => boolean;
  readonly #total: number;
  /** The number of remaining steps that may run. */
  #stepsAhead: number;
  readonly #lane: Lane = { next: 0, call: 0 };
  /** The ops in branches of groups that have started. */
  readonly #members = new Map<Op, Readonly<{ lane: Lane; index: number }>>();
  #started = 0;
  /** The start times of the ops that run. */
  readonly #startTimes = new Map<Op, bigint>();
  #kept = 0;
  #leftOut = 0;
  readonly #runStartedAt = process.hrtime.bigint();

  /** `isPassed` returns whether the op with an index does not run in this session. */
  constructor(plan: Plan, isPassed: (op: number) => boolean = () => false) {
    this.#plan = plan;
    this.#titles = new Titles(plan);
    this.#isPassed = isPassed;
    this.#total = plan.ops.filter(({ kind }) => kind === 'run').length;
    this.#stepsAhead = plan.ops.filter(({ kind }, index) => kind === 'run' && !isPassed(index)).length;
  }

  get finished(): FinishedOp[] {
    return this.history.filter((each) => each.kind === 'finished');
  }

  get skipped(): SkippedOp[] {
    return this.history.filter((each) => each.kind === 'skipped');
  }

  /** The number of steps that an earlier session has finished. */
  get kept(): number {
    return this.#kept;
  }

  /** The number of steps outside of the selected part. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** The number of steps that the run did not reach. */
  get unreached(): number {
    const skipped = this.skipped.reduce((sum, { steps }) => sum + steps, 0);
    const passed = skipped + this.#kept + this.#leftOut;
    return this.#total - passed - this.finished.filter(({ op }) => op.kind === 'run').length;
  }

  /** Milliseconds since the start of the run. */
  get ms(): number {
    return millisecondsSince(this.#runStartedAt);
  }

  /** Updates the state. Returns undefined for an event that is not shown, such as the start of a condition. */
  follow(
    event: RunEvent,
  ): StartedOp | WaitingOp | FinishedOp | SkippedOp | RefusedCall | DeclinedOp | GroupChange | undefined {
    if (event.kind === 'refused' || event.kind === 'declined' || event.kind === 'member output') return event;
    if (event.kind === 'held') return undefined;
    const { op } = event;
    const { lane, index } = this.#find(op);
    const passed = this.#advance(lane, index + 1);
    switch (event.kind) {
      case 'started':
        return this.#start(event.op);
      case 'ended':
        return this.#finish(event);
      case 'waiting':
        return {
          kind: 'waiting',
          op: event.op,
          title: this.#titles.ofOp(op),
          exit: event.exit,
          attempt: event.attempt,
        };
      case 'skipped':
        return this.#skip(event.op, event.exit, lane);
      // A kept step that was already passed follows a condition that did not hold, and counts as skipped.
      case 'kept':
        this.#kept += passed;
        return undefined;
      case 'left out':
        this.#leftOut += passed;
        return undefined;
      case 'group started':
        this.#enterGroup(event.op);
        return event;
      case 'group ended':
        this.#leaveGroup(event.op, lane);
        return event;
      default:
        return unreachable(event);
    }
  }

  #find(op: Op): Readonly<{ lane: Lane; index: number }> {
    const lane = this.#lane;
    return this.#members.get(op) ?? { lane, index: this.#plan.ops.indexOf(op, Math.max(0, lane.next - 1)) };
  }

  #enterGroup({ branches }: ParallelOp): void {
    for (const { start, end } of branches) {
      const lane = { next: start.op, call: start.call };
      for (let index = start.op; index < end.op; index += 1) {
        this.#members.set(at(this.#plan.ops, index), { lane, index });
      }
    }
  }

  #leaveGroup({ branches, end }: ParallelOp, lane: Lane): void {
    for (const { start, end: last } of branches) {
      const op = this.#plan.ops[start.op];
      const member = op === undefined ? undefined : this.#members.get(op);
      if (member !== undefined && start.op < last.op) this.#advance(member.lane, last.op);
    }
    lane.next = end.op;
    lane.call = Math.max(lane.call, end.call - 1);
  }

  #start(op: CommandOp): StartedOp | undefined {
    this.#startTimes.set(op, process.hrtime.bigint());
    if (op.kind === 'condition') return undefined;
    if (op.kind === 'run') this.#started += 1;
    const count = { number: this.#started, total: this.#started + this.#stepsAhead };
    return { kind: 'started', op, title: this.#titles.ofOp(op), workflow: this.#workflowOf(op), count };
  }

  #finish({ op, exit, attempts }: RunEvent & { kind: 'ended' }): FinishedOp | undefined {
    const ms = millisecondsSince(this.#startTimes.get(op) ?? this.#runStartedAt);
    this.#startTimes.delete(op);
    if (op.kind === 'condition' && (exit.kind === 'exited' || exit.kind === 'cancelled')) return undefined;
    const failed = hasFailed(exit);
    const allowed = op.kind === 'run' && isAllowed(exit, op.options);
    const [title, workflow] = [this.#titles.ofOp(op), this.#workflowOf(op)];
    const finished = { kind: 'finished', op, title, workflow, exit, failed, allowed, attempts, ms } as const;
    this.history.push(finished);
    return finished;
  }

  #skip(op: ConditionOp, exit: Exit | null, lane: Lane): SkippedOp {
    const { name, title, isCall } = this.#guarded(op, lane);
    const steps = this.#advance(lane, op.target);
    const [reason, workflow] = [truncateLine(skipReason(op, exit)), this.#workflowOf(op)];
    const skipped = { kind: 'skipped', op, name, title, isCall, steps, reason, workflow } as const;
    this.history.push(skipped);
    return skipped;
  }

  #workflowOf(op: Op): string {
    return op.kind === 'hook' ? '' : this.#titles.ofCall(op.call);
  }

  /** Moves a lane to the op with index `end` and returns the number of steps passed. */
  #advance(lane: Lane, end: number): number {
    let steps = 0;
    for (; lane.next < end; lane.next += 1) {
      if (at(this.#plan.ops, lane.next).kind !== 'run') continue;
      steps += 1;
      if (!this.#isPassed(lane.next)) this.#stepsAhead -= 1;
    }
    return steps;
  }

  /** The step, group or call that a condition guards. */
  #guarded({ call, step }: ConditionOp, lane: Lane): { name: string; title: string; isCall: boolean } {
    const op = this.#plan.ops[lane.next];
    if ((op?.kind === 'run' || op?.kind === 'parallel') && op.call === call && op.step === step)
      return { name: op.name, title: this.#titles.ofOp(op), isCall: op.kind === 'parallel' };
    // The table lists a call at the op after its condition, so the guarded call is the first one that starts here.
    while (at(this.#plan.calls, lane.call).start < lane.next) lane.call += 1;
    const { workflow, from } = at(this.#plan.calls, lane.call);
    const name = from?.name ?? workflow;
    const title = name === `step_${step}` ? this.#titles.ofCall(lane.call) : truncateLine(name);
    return { name, title, isCall: true };
  }
}

function millisecondsSince(start: bigint): number {
  return Number((process.hrtime.bigint() - start) / 1_000_000n);
}

/** The counts of a run and its time: `3 steps ran, 1 skipped, 1.2 s`. */
export function runCounts({ finished, kept, leftOut, skipped, unreached, ms }: RunTracker): string {
  return [
    `${formatStepCount(finished.filter(({ op }) => op.kind === 'run').length)} ran`,
    ...(kept === 0 ? [] : [`${kept} kept`]),
    ...(leftOut === 0 ? [] : [`${leftOut} left out`]),
    ...(skipped.length === 0 ? [] : [`${skipped.reduce((sum, each) => sum + each.steps, 0)} skipped`]),
    ...(unreached === 0 ? [] : [`${unreached} not reached`]),
    formatElapsed(ms),
  ].join(', ');
}
