import { hasFailed, type RunEvent } from '../backend/execute.ts';
import type { Exit } from '../backend/command_runner.ts';
import { at, type ConditionOp, type Op, type Plan, type RunOp } from '../ir/plan.ts';
import { unreachable } from '../unreachable.ts';
import { short } from './failure_text.ts';
import { unmet } from './plain.ts';

/** A command that begins. A hook has no workflow (`''`) and is not counted. */
export type StartedOp = Readonly<{ kind: 'begun'; op: Op; title: string; workflow: string; count: Count }>;

/** How far a run is: this is the step `number` of at most `bound`, of exactly so many if no condition lies ahead. */
export type Count = Readonly<{ number: number; bound: number; exact: boolean }>;

/** An attempt that has failed, before another one. */
export type WaitingOp = Readonly<{ kind: 'waiting'; op: RunOp; title: string; exit: Exit; attempt: number }>;

/**
 * A command that ran, or a condition that could not be tested; it took so many milliseconds, in so many attempts.
 * Allowed: it failed and was allowed to.
 */
export type FinishedOp = Readonly<{ kind: 'ran'; op: Op; title: string; workflow: string; exit: Exit }> & {
  readonly failed: boolean;
  readonly allowed: boolean;
  readonly attempts: number;
  readonly ms: number;
};

/** A condition that did not hold, and with it a step, or a call with so many steps. */
export type SkippedOp = Readonly<{ kind: 'skipped'; op: ConditionOp; title: string; reason: string }> &
  Readonly<{ isCall: boolean; steps: number; workflow: string }>;

/** Follows a run through its plan, in time linear in it, and remembers what happened; names are cut to a usual length. */
export class RunTracker {
  readonly history: (FinishedOp | SkippedOp)[] = [];
  readonly #plan: Plan;
  readonly #total: number;
  #ahead: number;
  #conditionsAhead: number;
  /** The op after the one that is being run. */
  #next = 0;
  #call = 0;
  #begun = 0;
  #began = 0n;
  readonly #start = process.hrtime.bigint();

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#total = plan.ops.filter(({ kind }) => kind === 'run').length;
    this.#ahead = this.#total;
    this.#conditionsAhead = plan.ops.filter(({ kind }) => kind === 'condition').length;
  }

  get ran(): FinishedOp[] {
    return this.history.filter((each) => each.kind === 'ran');
  }

  get skipped(): SkippedOp[] {
    return this.history.filter((each) => each.kind === 'skipped');
  }

  /** The steps that the run did not come to. */
  get unreached(): number {
    const skipped = this.skipped.reduce((sum, { steps }) => sum + steps, 0);
    return this.#total - skipped - this.ran.filter(({ op }) => op.kind === 'run').length;
  }

  /** Milliseconds since the run began. */
  get ms(): number {
    return since(this.#start);
  }

  /** What an event is for people; undefined if it is nothing to them. */
  follow(event: RunEvent): StartedOp | WaitingOp | FinishedOp | SkippedOp | undefined {
    const { op } = event;
    this.#pass(this.#plan.ops.indexOf(op, Math.max(0, this.#next - 1)) + 1);
    const title = titleOf(op);
    const workflow = op.kind === 'hook' ? '' : short(at(this.#plan.calls, op.call).workflow);
    switch (event.kind) {
      case 'started': {
        this.#began = process.hrtime.bigint();
        if (op.kind === 'condition') return undefined;
        if (op.kind === 'run') this.#begun += 1;
        const count = { number: this.#begun, bound: this.#begun + this.#ahead, exact: this.#conditionsAhead === 0 };
        return { kind: 'begun', op, title, workflow, count };
      }
      case 'ended': {
        const { exit, attempts } = event;
        const failed = hasFailed(exit);
        const allowed = failed && op.kind === 'run' && op.allowFailure;
        if (op.kind === 'condition' && exit.kind === 'exited') return undefined;
        const ms = since(this.#began);
        return this.#remember({ kind: 'ran', op, title, workflow, exit, failed, allowed, attempts, ms });
      }
      case 'waiting':
        return { kind: 'waiting', op: event.op, title, exit: event.exit, attempt: event.attempt };
      case 'skipped': {
        const { isCall, title } = this.#guarded(event.op);
        const steps = this.#pass(event.op.target);
        const reason = short(unmet(event.op));
        return this.#remember({ kind: 'skipped', op: event.op, title, isCall, steps, reason, workflow });
      }
      default:
        return unreachable(event);
    }
  }

  #remember<Happening extends FinishedOp | SkippedOp>(happening: Happening): Happening {
    this.history.push(happening);
    return happening;
  }

  /** Goes on to an op; gives the number of steps before it. */
  #pass(end: number): number {
    const before = this.#ahead;
    for (; this.#next < end; this.#next += 1) {
      const { kind } = at(this.#plan.ops, this.#next);
      if (kind === 'run') this.#ahead -= 1;
      else if (kind === 'condition') this.#conditionsAhead -= 1;
    }
    return before - this.#ahead;
  }

  /** The step whose condition comes before the next op. */
  #guarded({ call, step }: ConditionOp): { title: string; isCall: boolean } {
    const op = this.#plan.ops[this.#next];
    if (op?.kind === 'run' && op.call === call && op.step === step) return { title: short(op.name), isCall: false };
    // A call is entered in the table just after its condition, so it is the first that begins here.
    while (at(this.#plan.calls, this.#call).start < this.#next) this.#call += 1;
    const { workflow, from } = at(this.#plan.calls, this.#call);
    return { title: short(from === null || from.name === `step_${step}` ? workflow : from.name), isCall: true };
  }
}

function titleOf(op: Op): string {
  if (op.kind === 'hook') return `hook ${op.hook}`;
  return op.kind === 'run' ? short(op.name) : `the condition of step ${op.step}`;
}

function since(start: bigint): number {
  return Number((process.hrtime.bigint() - start) / 1_000_000n);
}
