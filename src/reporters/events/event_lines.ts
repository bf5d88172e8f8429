import type { Exit } from '../../backend/command_runner.ts';
import type { Outcome, RunEvent } from '../../backend/run_event.ts';
import type { RunJournal } from '../../backend/run_journal.ts';
import type { Prepared } from '../../driver/prepare.ts';
import { at, type CommandOp, type ConditionOp, type Op, type ParallelOp } from '../../ir/plan.ts';
import { unreachable } from '../../unreachable.ts';
import { VERSION } from '../../version.ts';
import type { FailureText } from '../failure_text.ts';
import { now, times, type Moment } from '../file/moment.ts';
import { identity, reportCall } from '../file/op_identity.ts';
import { codeOf, notRun, reasonOf, resultOf, type ReportedResult } from '../file/op_result.ts';
import { maskedParams, type Surroundings } from '../file/surroundings.ts';
import { declineReason, skipReason } from '../op_text.ts';

/** The events of a run as objects for JSON. Fields have the same meaning as in a report. */
export class EventLines {
  readonly #prepared: Prepared;
  readonly #text: FailureText;
  readonly #known: RunJournal['known'];
  readonly #start = now();
  readonly #startTimes = new Map<Op, Moment>();
  /** Indexes in the plan, and in the ops of a report, which has no entries for groups. */
  readonly #indexes = new Map<Op, Readonly<{ inPlan: number; inReport: number }>>();

  constructor(prepared: Prepared, text: FailureText, known: RunJournal['known']) {
    this.#prepared = prepared;
    this.#text = text;
    this.#known = known;
    let inReport = 0;
    for (const [inPlan, op] of prepared.plan.ops.entries()) {
      this.#indexes.set(op, { inPlan, inReport });
      if (op.kind !== 'parallel') inReport += 1;
    }
  }

  /** The first line. */
  start(surroundings: Surroundings): object {
    const { plan } = this.#prepared;
    const { start } = times(this.#start, this.#start);
    const about = { tool: VERSION, params: maskedParams(plan), ...surroundings, calls: plan.calls.map(reportCall) };
    return { event: 'run_started', time: start, version: 1, workflow: plan.workflow, start, ...about };
  }

  /** The last line. */
  end({ success, interrupted }: Outcome): object {
    const end = now();
    const result = { success, interrupted: interrupted ?? null };
    return {
      ...stamp('run_ended', end),
      workflow: this.#prepared.plan.workflow,
      ...result,
      ...times(this.#start, end),
    };
  }

  *of(event: RunEvent): Generator<object> {
    const time = now();
    switch (event.kind) {
      case 'started':
        this.#startTimes.set(event.op, time);
        yield { ...stamp('op_started', time), ...this.#identity(event.op) };
        break;
      case 'waiting':
        yield this.#retrying(event, time);
        break;
      case 'ended':
        yield this.#ended(event.op, time, this.#resultOf(event, time));
        break;
      case 'skipped':
        yield* this.#skipped(event.op, event.exit, time);
        break;
      case 'kept':
      case 'left out':
        if (event.op.kind !== 'parallel') yield this.#ended(event.op, time, notRun(event.kind));
        break;
      case 'declined':
        yield this.#ended(event.op, time, notRun('declined', declineReason(event)));
        break;
      case 'refused': {
        const { call, step } = event.step;
        const { workflow } = at(this.#prepared.plan.calls, call);
        yield { ...stamp('call_failed', time), workflow, call, step, reason: event.reason };
        break;
      }
      case 'group started':
        yield { ...stamp('group_started', time), ...this.#groupOf(event.op) };
        break;
      case 'group ended':
        yield { ...stamp('group_ended', time), ...this.#groupOf(event.op), failed: event.failed };
        break;
      case 'member output':
        break;
      default:
        unreachable(event);
    }
  }

  #retrying({ op, exit, attempt }: RunEvent & { kind: 'waiting' }, time: Moment): object {
    const failure = { attempt, ...codeOf(exit), reason: reasonOf(op, exit, this.#text) };
    return { ...stamp('op_retrying', time), ...this.#identity(op), ...failure };
  }

  #resultOf({ op, exit, attempts }: RunEvent & { kind: 'ended' }, end: Moment): ReportedResult {
    const start = this.#startTimes.get(op) ?? end;
    this.#startTimes.delete(op);
    const output = exit.printed?.lines() ?? null;
    return resultOf(op, { start, end, attempts, exit, output }, this.#text, this.#start);
  }

  /** A condition on a variable, for which no command ran, and all ops that the condition guards. */
  *#skipped(op: ConditionOp, exit: Exit | null, time: Moment): Generator<object> {
    if (exit === null) yield this.#ended(op, time, notRun('not met'));
    const { ops } = this.#prepared.plan;
    const { inPlan = op.target } = this.#indexes.get(op) ?? {};
    const result = notRun('skipped', skipReason(op, exit));
    for (let index = inPlan + 1; index < op.target; index += 1) {
      const guarded = at(ops, index);
      // A finished step is kept, with its own event.
      if (guarded.kind === 'parallel' || this.#known(index)?.kind === 'finished') continue;
      yield this.#ended(guarded, time, result);
    }
  }

  #ended(op: CommandOp, time: Moment, result: ReportedResult): object {
    return { ...stamp('op_ended', time), ...this.#identity(op), ...result };
  }

  #identity(op: CommandOp): object {
    return { op: this.#indexes.get(op)?.inReport, ...identity(this.#prepared.plan, op) };
  }

  #groupOf({ name, call, step }: ParallelOp): object {
    return { name, workflow: at(this.#prepared.plan.calls, call).workflow, call, step };
  }
}

function stamp(event: string, { wall }: Moment): object {
  return { event, time: new Date(wall).toISOString() };
}
