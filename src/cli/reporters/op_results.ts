import { isInBackground, isCommand } from '../../ir/ops.ts';
import { hasFailed, isAllowed, isNoAnswer, type Exit } from '../../backend/command_runner.ts';
import type { Outcome, RunEvent } from '../../backend/run_event.ts';
import type { KnownOp } from '../../backend/run_journal.ts';
import { at, isWorkflowHook } from '../../ir/plan.ts';
import type { Branch, CommandOp, ConditionOp, ParallelOp, Plan } from '../../ir/plan.ts';
import { now, type Moment } from './moment.ts';
import { declineReason, skipReason } from './op_text.ts';

/** The status of an op whose command ended, or could not be started. `stopped`: a step in the background, at its stop. */
type EndedStatus = 'succeeded' | 'stopped' | 'failed' | 'not started' | 'met' | 'not met';

/** The status of an op without a command in this session. `met` and `not met`: a condition on a variable. */
type PassedStatus = 'kept' | 'left out' | 'met' | 'not met' | 'skipped' | 'declined' | 'not reached';

export type Status = EndedStatus | PassedStatus;

/** The status of an op whose command has not ended. `starting` and `ready`: a step in the background. */
export type OpenStatus = 'running' | 'starting' | 'ready';

/**
 * The result of all attempts of a command: its first start, its last end. `output`: null if it was not recorded. `readyMs`:
 * the time until a step in the background was ready, null if it was not; undefined for other ops.
 */
export type EndedOp = Readonly<{ kind: 'ended'; index: number; op: CommandOp; status: EndedStatus; allowed: boolean }> &
  Readonly<{ exit: Exit; attempts: number; start: Moment; end: Moment; output: readonly string[] | null }> &
  Readonly<{ readyMs: number | null | undefined }>;

type PassedOp = Readonly<{ kind: 'passed'; index: number; op: CommandOp; status: PassedStatus }> &
  Readonly<{ allowed: false; reason: string | null }>;

/** The result of the op with an index in the plan. */
export type OpResult = EndedOp | PassedOp;

/** A condition that skips a number of steps. `exit` is the end of its command, null without one. */
export type Skip = Readonly<{ kind: 'skip'; index: number; op: ConditionOp; exit: Exit | null; steps: number }>;

/**
 * An event of a run, and the results that it decides. `entry` is its entry in the history, to be shown: a result, except
 * for the answer of a condition, or a skip.
 */
export type Change = Readonly<{ event: RunEvent; time: Moment; results: readonly OpResult[] }> &
  Readonly<{ entry: EndedOp | Skip | undefined }>;

/** A run whose journal has begun. `id` is that of a new run with a record. */
export type BegunRun = Readonly<{ id: string | null; isInterrupted: () => boolean }> &
  Readonly<{ known: (op: number) => Readonly<{ kind: KnownOp['kind'] }> | undefined }>;

/** Translates the events of a run into the results of its ops. All that observers know about a run comes from here. */
export class OpResults {
  readonly history: (EndedOp | Skip)[] = [];
  readonly #plan: Plan;
  readonly #lines: number;
  #run: Omit<BegunRun, 'id'> = { known: () => undefined, isInterrupted: () => false };
  #start = now();
  readonly #results = new Map<number, OpResult>();
  readonly #startTimes = new Map<number, Moment>();
  /** The milliseconds until each step in the background was ready. */
  readonly #readyTimes = new Map<number, number>();
  /** The steps that have started or have a result. */
  readonly #counted = new Set<number>();
  #total: number | undefined;

  /** `lines` is the number of lines of output that a result has; null without any. */
  constructor(plan: Plan, lines = 0) {
    this.#plan = plan;
    this.#lines = lines;
  }

  /** The run begins. Not for a simulated run, which has no journal. */
  begin(run: Omit<BegunRun, 'id'>, start = now()): void {
    this.#run = run;
    this.#start = start;
  }

  get start(): Moment {
    return this.#start;
  }

  get isInterrupted(): boolean {
    return this.#run.isInterrupted();
  }

  /** The result of an op; undefined while it has none. Each op has one at the end of the run. */
  of(index: number): OpResult | undefined {
    return this.#results.get(index);
  }

  /** The start of an op without a result. */
  startOf(index: number): Moment | undefined {
    return this.#startTimes.get(index);
  }

  /** The time until an op in the background was ready, in milliseconds; null if it is not, undefined for other ops. */
  readyMsOf(index: number): number | null | undefined {
    return isInBackground(this.#plan.ops[index]) ? (this.#readyTimes.get(index) ?? null) : undefined;
  }

  /** The results of the steps. */
  get steps(): OpResult[] {
    return [...this.#results.values()].filter(({ op }) => op.kind === 'run');
  }

  /** Milliseconds since the start of the run. */
  get ms(): number {
    return elapsed({ start: this.#start, end: now() });
  }

  /** The number of steps that have started or do not run in this session, and of all steps of the plan. */
  get count(): Readonly<{ number: number; total: number }> {
    this.#total ??= this.#plan.ops.filter(({ kind }) => kind === 'run').length;
    return { number: this.#counted.size, total: this.#total };
  }

  /** The number of a group's members without those that earlier sessions have finished, or that are left out. */
  runningMembers({ branches }: ParallelOp): number {
    return branches.filter((branch) => !this.#isPassed(branch)).length;
  }

  follow(event: RunEvent, time = now()): Change {
    const results = this.#record(this.#decide(event, time));
    const entry = event.kind === 'skipped' ? skipOf(event, results) : results.find(isShown);
    if (entry !== undefined) this.history.push(entry);
    return { event, time, results, entry };
  }

  /** The results of the ops that the run did not reach, to be called once at its end. */
  finish({ success }: Pick<Outcome, 'success'>): readonly OpResult[] {
    const results: OpResult[] = [];
    /** The number of ops before each op that failed or were not reached. */
    const failures: number[] = [];
    let count = 0;
    for (const [index, op] of this.#plan.ops.entries()) {
      failures.push(count);
      const known = this.#results.get(index);
      if (known !== undefined && hasEndedBadly(known)) count += 1;
      if (!isCommand(op) || known !== undefined) continue;
      const start = isWorkflowHook(op) ? at(this.#plan.calls, op.call).start : index;
      const hasSucceeded = success || (start < index && failures[start] === count);
      const isUnneeded = op.kind === 'hook' && op.when === 'failure' && hasSucceeded;
      results.push(isUnneeded ? passed(op, index, 'skipped', 'nothing failed') : passed(op, index, 'not reached'));
      if (!isUnneeded) count += 1;
    }
    return this.#record(results);
  }

  /** Whether a member has steps, and none of them runs in this session. */
  #isPassed({ start, end }: Branch): boolean {
    let hasPassed = false;
    for (let index = start.op; index < end.op; index += 1) {
      if (at(this.#plan.ops, index).kind !== 'run') continue;
      const known = this.#run.known(index)?.kind;
      if (known !== 'finished' && known !== 'left out') return false;
      hasPassed = true;
    }
    return hasPassed;
  }

  #decide(event: RunEvent, time: Moment): readonly OpResult[] {
    switch (event.kind) {
      case 'started':
        this.#startTimes.set(event.index, time);
        if (event.op.kind === 'run') this.#counted.add(event.index);
        return [];
      case 'ended':
        return [this.#ended(event, time)];
      case 'held':
        return [passed(event.op, event.index, 'met')];
      case 'skipped':
        return this.#skipped(event);
      case 'kept':
      case 'left out':
        return !isCommand(event.op) ? [] : [passed(event.op, event.index, event.kind)];
      case 'declined':
        return [passed(event.op, event.index, 'declined', declineReason(event))];
      case 'ready':
        this.#readyTimes.set(event.index, event.milliseconds);
        return [];
      case 'group ended':
      case 'not ready':
      case 'waiting':
      case 'refused':
      case 'group started':
      case 'member output':
        return [];
    }
  }

  #record(results: readonly OpResult[]): readonly OpResult[] {
    for (const result of results) {
      this.#results.set(result.index, result);
      if (result.op.kind === 'run') this.#counted.add(result.index);
    }
    return results;
  }

  #ended({ op, index, exit, attempts }: RunEvent & { kind: 'ended' }, end: Moment): EndedOp {
    const start = this.#startTimes.get(index) ?? end;
    this.#startTimes.delete(index);
    const allowed = op.kind === 'run' && isAllowed(exit, op.options);
    const lines = exit.printed?.lines() ?? null;
    const output = this.#lines > 0 ? (lines?.slice(-this.#lines) ?? null) : null;
    const [status, readyMs] = [statusOf(op, exit), this.readyMsOf(index)];
    return { kind: 'ended', index, op, status, allowed, exit, attempts, start, end, output, readyMs };
  }

  /** A condition for which no command ran, and all ops that the condition guards. */
  #skipped({ op, index: condition, exit }: RunEvent & { kind: 'skipped' }): OpResult[] {
    const results: OpResult[] = exit === null ? [passed(op, condition, 'not met')] : [];
    const reason = skipReason(op, exit);
    for (let index = condition + 1; index < op.target; index += 1) {
      const guarded = at(this.#plan.ops, index);
      // A finished step is kept, with its own event.
      if (!isCommand(guarded) || this.#run.known(index)?.kind === 'finished') continue;
      results.push(passed(guarded, index, 'skipped', reason));
    }
    return results;
  }
}

/** The time between two moments, in milliseconds. */
export function elapsed({ start, end }: Readonly<{ start: Moment; end: Moment }>): number {
  return Math.floor(end.steady - start.steady);
}

/** Whether an op failed its workflow. */
function hasEndedBadly({ status, allowed }: OpResult): boolean {
  return (status === 'failed' || status === 'not started' || status === 'declined') && !allowed;
}

function passed(op: CommandOp, index: number, status: PassedStatus, reason: string | null = null): PassedOp {
  return { kind: 'passed', index, op, status, allowed: false, reason };
}

function statusOf(op: CommandOp, exit: Exit): EndedStatus {
  if (exit.kind === 'not started') return exit.kind;
  const failed = hasFailed(exit);
  if (op.kind !== 'condition') return failed ? 'failed' : isInBackground(op) ? 'stopped' : 'succeeded';
  return exit.kind === 'rejected' || exit.kind === 'cancelled' ? 'failed' : failed ? 'not met' : 'met';
}

/** The answer of a condition shows in the steps that it guards. */
function isShown(result: OpResult): result is EndedOp {
  return (
    result.kind === 'ended' &&
    (result.op.kind !== 'condition' || (isNoAnswer(result.exit) && result.exit.kind !== 'cancelled'))
  );
}

function skipOf({ op, index, exit }: RunEvent & { kind: 'skipped' }, results: readonly OpResult[]): Skip {
  return { kind: 'skip', index, op, exit, steps: results.filter((each) => each.op.kind === 'run').length };
}
