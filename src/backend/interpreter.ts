import { isInBackground, type BackgroundOp, afterConditions, isCheck } from '../ir/ops.ts';
import { at, isWorkflowHook, runsAfterFailure, type Branch, type Call, type ConditionOp } from '../ir/plan.ts';
import type { HookOp, Op, ParallelOp, RunOp, StepPosition } from '../ir/plan.ts';
import { CallCursor } from './call_cursor.ts';
import { exitCode, hasFailed, isStopped, type CommandRunner, type Exit, type Supervision } from './command_runner.ts';
import { Attempts } from './attempts.ts';
import type { ConditionResult } from './checks/check_port.ts';
import { testCondition } from './condition_tester.ts';
import type { SharedState } from './run_settings.ts';
import { runBranches } from './run_branches.ts';
import type { KnownOp } from './run_journal.ts';
import { keepFinished, keepResult, keepUnstarted } from './steps/step_results.ts';
import { StepRunner } from './steps/step_runner.ts';

/** The steps before the op `until` fail without starting, because a reference has no value. */
type Refused = Readonly<{ until: number; reason: string }>;

/** Runs a range of a plan's ops: the whole plan or one branch of a group. */
export class Interpreter {
  readonly #shared: SharedState;
  readonly #range: Pick<Branch, 'start' | 'end'>;
  readonly #runner: CommandRunner;
  readonly #commands: Attempts;
  readonly #steps: StepRunner;
  readonly #calls: CallCursor;
  /** The open calls that run first, outermost first. */
  readonly #firsts: Readonly<{ target: number; ended: (succeeded: boolean) => void }>[] = [];
  /** The open calls that hold locks, outermost first. */
  readonly #locked: Readonly<{ end: number; leave: () => void }>[] = [];
  #next: number;
  #failed = false;
  #refused: Refused;
  readonly #onFailure: () => void;
  /** Undefined in a plan without steps in the background. */
  readonly #supervisor: Supervision | undefined;

  /** `onFailure` is called as soon as the range has failed, before its hooks run. */
  constructor(
    shared: SharedState,
    port: CommandRunner,
    range: Pick<Branch, 'start' | 'end'>,
    refused: Refused = { until: 0, reason: '' },
    onFailure = (): void => undefined,
  ) {
    this.#shared = shared;
    this.#onFailure = onFailure;
    this.#range = range;
    this.#supervisor = shared.supervise?.(port, () => this.#fail());
    const runner = this.#supervisor?.runner ?? port;
    this.#runner = runner;
    this.#commands = new Attempts(runner, shared);
    this.#steps = new StepRunner(this.#commands, () => this.#fail());
    this.#calls = new CallCursor(shared.plan.calls, range.start.call, range.end.call);
    this.#next = range.start.op;
    this.#refused = refused;
  }

  /** Runs the range and returns whether it failed. */
  async run(): Promise<boolean> {
    while (this.#next < this.#range.end.op && this.#runner.interruption?.forced !== true) {
      this.#leaveLocks(this.#next);
      await this.#enterCalls();
      this.#endFirsts(this.#next);
      const op = at(this.#shared.plan.ops, this.#next);
      const known = this.#shared.journal.known(this.#next);
      this.#shared.journal.reach(this.#next);
      this.#next += 1;
      if (known !== undefined) await this.#recall(op, this.#next - 1, known);
      else if (this.#applies(op)) await this.#execute(op);
    }
    // After a second signal, the run has not reached the ends of its executions.
    await this.#supervisor?.close();
    this.#keepUpTo(this.#range.end.op);
    await this.#enterCalls();
    this.#endFirsts(Infinity);
    this.#leaveLocks(Infinity);
    return this.#failed;
  }

  /** Ends the calls that run first and end at or before an op. */
  #endFirsts(next: number): void {
    for (let top = this.#firsts.at(-1); top !== undefined && top.target <= next; top = this.#firsts.at(-1)) {
      top.ended(!this.#failed);
      this.#firsts.pop();
    }
  }

  /** Releases the locks of the calls that end at or before an op. */
  #leaveLocks(next: number): void {
    for (let top = this.#locked.at(-1); top !== undefined && top.end <= next; top = this.#locked.at(-1)) {
      top.leave();
      this.#locked.pop();
    }
    // The range of a branch begins after the op of its group.
    if (this.#range.start.op === 0) this.#shared.locks?.passed(next);
  }

  /** Takes the locks of a call. Returns undefined if that was stopped, and the reason if they cannot be taken. */
  async #lock(index: number): Promise<true | string | undefined> {
    const entered = await this.#shared.locks?.enter(index, this.#runner);
    if (entered === undefined) return true;
    if (entered.kind !== 'entered') return entered.kind === 'refused' ? entered.reason : undefined;
    this.#locked.push({ end: at(this.#shared.plan.calls, index).end, leave: entered.leave });
    return true;
  }

  #beginFirst({ target }: ConditionOp, ended: ConditionResult['ended']): void {
    if (ended !== undefined) this.#firsts.push({ target, ended });
  }

  #fail(): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#calls.close();
    this.#onFailure();
  }

  /** Enters the calls that begin before the next op. A call whose `with` has a reference without a value fails. */
  async #enterCalls(): Promise<void> {
    if (isStopped(this.#runner)) this.#fail();
    if (this.#failed) return;
    for (const [index, call] of this.#calls.enter(this.#next)) {
      if (this.#next < this.#refused.until) continue;
      const problem = call.from && (this.#shared.missing.ofCall(call) ?? this.#shared.requests.inputProblem(call));
      const locked = problem ?? (await this.#lock(index));
      if (locked === true) continue;
      if (locked === undefined) {
        this.#fail();
        return this.#calls.close(index);
      }
      this.#calls.skipInside(index);
      await this.#refuse(call.from ?? { call: 0, step: '1' }, call, locked);
    }
  }

  /** Whether an op runs in the current state of the run. */
  #applies(op: Op): boolean {
    if (isWorkflowHook(op) && (this.#next <= this.#refused.until || !this.#calls.hasBegun(op.call))) return false;
    if (this.#failed) return runsAfterFailure(op);
    return op.kind !== 'hook' || op.when !== 'failure';
  }

  async #execute(op: Op): Promise<void> {
    this.#supervisor?.reach(op);
    switch (op.kind) {
      case 'hook':
        return await this.#runHook(op, this.#next - 1);
      case 'condition':
        return await this.#test(op, this.#next - 1);
      case 'run':
        return await this.#runStep(op, this.#next - 1);
      case 'parallel':
        return await this.#runGroup(op, this.#next - 1);
      case 'stop':
        return await this.#supervisor?.stop(op);
    }
  }

  /** Applies the recorded state of an op instead of executing it. */
  async #recall(op: Op, index: number, known: KnownOp): Promise<void> {
    switch (known.kind) {
      case 'finished':
        return keepResult(this.#shared, op, index, known.result);
      case 'left out':
      case 'cleaned':
        if (known.kind === 'cleaned' && this.#applies(op) && this.#commands.hasStartedBefore(op, index))
          return await this.#execute(op);
        return this.#commands.pass(op, index, 'left out');
      case 'decided':
        if (isCheck(op)) this.#beginFirst(op, await this.#shared.checks?.recall(op, index, known));
        if (known.holds) this.#commands.pass(op, index, 'kept');
        else if (op.kind === 'condition' && !this.#failed) {
          if (known.isReplayed !== true) await this.#shared.journal.decide(index, false, known.outputs);
          await this.#skip(op, index, null);
        }
        return;
      case 'failed':
        if (op.kind === 'run' && this.#applies(op)) await this.#steps.failKnown(op, index, known.reason);
        return;
    }
  }

  /** Keeps the finished steps among the skipped ops, up to `end`. */
  #keepUpTo(end: number): void {
    if (this.#next >= end) return;
    keepFinished(this.#shared, this.#next, end);
    this.#next = end;
  }

  async #runHook(op: HookOp, index: number): Promise<void> {
    const reason = this.#shared.missing.ofHook(op);
    const ended = await this.#commands.runUnless(reason, op, index, () => this.#shared.requests.ofHook(op));
    if (ended !== undefined) this.#shared.hooks.push({ op, exitCode: exitCode(ended.exit) });
    if (ended === undefined || hasFailed(ended.exit)) this.#fail();
  }

  async #test(op: ConditionOp, index: number): Promise<void> {
    if (index < this.#refused.until) return;
    const reason = this.#shared.missing.ofCondition(op);
    if (reason !== undefined) {
      this.#calls.skipGuarded(index);
      return await this.#refuse(op, { start: this.#next, end: op.target }, reason);
    }
    // Whether an equal call runs is found out with the locks that it may need.
    const guarded = this.#shared.locks?.callOf(index);
    const locked = guarded === undefined ? true : await this.#lock(guarded);
    if (locked === undefined) return this.#fail();
    if (locked !== true) {
      this.#calls.skipGuarded(index);
      return await this.#refuse(op, { start: this.#next, end: op.target }, locked);
    }
    const { holds, failed, exit, outputs, refusal, ended } = await testCondition(this.#commands, op, index);
    this.#beginFirst(op, ended);
    if (failed) this.#fail();
    if (refusal !== undefined && !this.#commands.isStopped(op))
      await this.#commands.show({ kind: 'refused', step: op, reason: refusal });
    if (this.#failed || this.#commands.isStopped(op)) return;
    if (exit === null) await this.#shared.journal.decide(index, holds, outputs);
    if (!holds) await this.#skip(op, index, exit);
    else if (exit === null) this.#shared.settings.observe({ kind: 'held', op, index });
  }

  async #skip(op: ConditionOp, index: number, exit: Exit | null): Promise<void> {
    await this.#commands.show({ kind: 'skipped', op, index, exit });
    this.#calls.skipGuarded(index);
    const guarded = this.#shared.plan.ops[afterConditions(this.#shared.plan, index)];
    if (guarded?.kind === 'parallel' && guarded.call === op.call && guarded.step === op.step)
      this.#calls.skipTo(guarded.end.call);
    this.#keepUpTo(op.target);
  }

  async #runStep(op: RunOp, index: number): Promise<void> {
    const reason = index < this.#refused.until ? this.#refused.reason : this.#shared.missing.ofStep(op);
    if (isInBackground(op)) return await this.#startInBackground(op, index, reason);
    const end = await this.#steps.run(op, index, reason);
    if (end !== 'up to date') return;
    const check = at(this.#shared.plan.ops, index - 1);
    if (check.kind === 'condition') await this.#skip(check, index - 1, null);
  }

  async #startInBackground(op: BackgroundOp, index: number, reason: string | undefined): Promise<void> {
    if (reason === undefined && !(await this.#steps.isConfirmed([{ op, index }]))) return;
    if ((await this.#supervisor?.start(op, index, reason)) !== true) this.#fail();
  }

  /** Runs the branches of a group, each with its own interpreter. */
  async #runGroup(op: ParallelOp, index: number): Promise<void> {
    const { end } = op;
    const reason = index < this.#refused.until ? undefined : this.#shared.missing.ofCall(op);
    if (reason !== undefined) await this.#refuse(op, { start: this.#next, end: end.op }, reason);
    // In a refused group, an empty call at its end is refused, too.
    const refused = index < this.#refused.until ? { ...this.#refused, until: end.op + 1 } : undefined;
    if (refused === undefined) {
      if (this.#shared.confirmations !== undefined)
        await this.#shared.checks?.testEarly(this.#next, end.op, this.#runner);
      const asking = this.#shared.confirmations?.inGroup(this.#next, end.op) ?? [];
      if (!(await this.#steps.isConfirmed(asking))) return this.#passGroup(op);
    }
    await this.#commands.show({ kind: 'group started', op, index });
    const failed = await runBranches(op, this.#runner, {
      run: (branch, runner, onFailure) => new Interpreter(this.#shared, runner, branch, refused, onFailure).run(),
      onFailure: () => this.#fail(),
      announceOutput: (branch) => this.#shared.settings.observe({ kind: 'member output', op, index, branch }),
    });
    await this.#commands.show({ kind: 'group ended', op, index, failed });
    if (failed) this.#fail();
    this.#passGroup(op);
  }

  /** Continues after a group. */
  #passGroup(op: ParallelOp): void {
    if (this.#failed || this.#runner.interruption !== undefined) keepUnstarted(this.#shared, this.#next, op.end.op);
    this.#calls.skipTo(op.end.call);
    this.#next = op.end.op;
  }

  /** Fails the steps in a range of ops without starting them. If the range contains none, fails the run here. */
  async #refuse(step: StepPosition, { start, end }: Pick<Call, 'start' | 'end'>, reason: string): Promise<void> {
    this.#refused = { until: end, reason };
    for (let index = start; index < end; index += 1) if (this.#shared.plan.ops[index]?.kind === 'run') return;
    this.#fail();
    await this.#commands.show({ kind: 'refused', step, reason });
  }
}
