import { looksNegative } from '../frontend/lint/conditions.ts';
import { at, runsAfterFailure, type Branch, type Call, type ConditionOp, type HookOp } from '../ir/plan.ts';
import type { Op, ParallelOp, RunOp, StepPosition } from '../ir/plan.ts';
import { unreachable } from '../unreachable.ts';
import { CallCursor } from './call_cursor.ts';
import { exitCode, hasFailed, isAllowed, isNoAnswer, type CommandRunner, type Exit } from './command_runner.ts';
import { Commands, type Ending } from './commands.ts';
import type { SharedState } from './shared_state.ts';
import { runBranches } from './branches.ts';
import type { KeptResult, KnownOp } from './run_journal.ts';

/** The steps before the op `until` fail without being started, because a reference has no value. */
type Refused = Readonly<{ until: number; reason: string }>;

/** Runs a range of a plan's ops: the whole plan, or one branch of a group. */
export class Interpreter {
  readonly #shared: SharedState;
  readonly #range: Pick<Branch, 'start' | 'end'>;
  readonly #ops: readonly Op[];
  readonly #runner: CommandRunner;
  readonly #commands: Commands;
  readonly #requests: SharedState['requests'];
  readonly #calls: CallCursor;
  readonly #missing: SharedState['missing'];
  #next: number;
  #failed = false;
  #refused: Refused;

  constructor(
    shared: SharedState,
    runner: CommandRunner,
    range: Pick<Branch, 'start' | 'end'>,
    refused: Refused = { until: 0, reason: '' },
  ) {
    this.#shared = shared;
    this.#range = range;
    this.#ops = shared.plan.ops;
    this.#runner = runner;
    this.#commands = new Commands(runner, shared);
    this.#requests = shared.requests;
    this.#calls = new CallCursor(shared.plan.calls, range.start.call, range.end.call);
    this.#missing = shared.missing;
    this.#next = range.start.op;
    this.#refused = refused;
  }

  /** Runs the range; gives whether it failed. */
  async run(): Promise<boolean> {
    while (this.#next < this.#range.end.op && this.#runner.interruption?.forced !== true) {
      await this.#enterCalls();
      const op = at(this.#ops, this.#next);
      const known = this.#shared.journal.known(this.#next);
      this.#next += 1;
      if (known !== undefined) await this.#recall(op, this.#next - 1, known);
      else if (this.#applies(op)) await this.#execute(op);
    }
    this.#keepUpTo(this.#range.end.op);
    await this.#enterCalls();
    return this.#failed;
  }

  /** Enters the calls that begin before the next op, and refuses those whose `with` has a reference without a value. */
  async #enterCalls(): Promise<void> {
    this.#failed ||= this.#runner.interruption !== undefined || this.#runner.isCancelled;
    if (this.#failed) return;
    for (const [index, call] of this.#calls.enter(this.#next)) {
      const reason =
        this.#next < this.#refused.until
          ? undefined
          : (this.#missing.ofCall(call) ?? this.#requests.inputProblem(call));
      if (reason === undefined || call.from === null) continue;
      this.#calls.skipInside(index);
      await this.#refuse(call.from, call, reason);
    }
  }

  /** Whether an op runs in the current state of the run. */
  #applies(op: Op): boolean {
    if (this.#failed) return runsAfterFailure(op);
    return op.kind !== 'hook' || op.when !== 'failure';
  }

  async #execute(op: Op): Promise<void> {
    switch (op.kind) {
      case 'hook':
        return await this.#runHook(op, this.#next - 1);
      case 'condition':
        return await this.#test(op, this.#next - 1);
      case 'run':
        return await this.#runStep(op, this.#next - 1);
      case 'parallel':
        return await this.#runGroup(op, this.#next - 1);
      default:
        return unreachable(op);
    }
  }

  /** Applies the recorded state of an op instead of executing it. */
  async #recall(op: Op, index: number, known: KnownOp): Promise<void> {
    switch (known.kind) {
      case 'finished':
        return this.#keep(op, index, known.result);
      case 'left out':
        return this.#commands.pass(op, 'left out');
      case 'decided':
        if (known.holds) this.#commands.pass(op, 'kept');
        else if (op.kind === 'condition' && !this.#failed) await this.#skip(op, index, null);
        return;
      case 'failed':
        if (op.kind === 'run' && this.#applies(op)) await this.#failKnown(op, known.reason);
        return;
      default:
        return unreachable(known);
    }
  }

  /** A step that has finished stands in the result, whatever becomes of this session. */
  #keep(op: Op, index: number, result: KeptResult): void {
    const { hooks, steps } = this.#shared;
    this.#commands.pass(op, 'kept');
    if (op.kind === 'hook' && result.exitCode !== null) hooks.push({ op, exitCode: result.exitCode });
    if (op.kind !== 'run') return;
    steps.push({ op, ...result, kept: true });
    const { exit, failed } = result;
    if (exit.kind === 'exited' && exit.outputs?.ok === true) this.#requests.addOutputs(index, exit.outputs.values);
    if (failed) this.#missing.addFailed(index);
  }

  /** Keeps the finished steps among the ops that are passed over, up to `end`. */
  #keepUpTo(end: number): void {
    for (; this.#next < end; this.#next += 1) {
      const known = this.#shared.journal.known(this.#next);
      const op = at(this.#ops, this.#next);
      if (known?.kind === 'finished' && op.kind === 'run') this.#keep(op, this.#next, known.result);
    }
  }

  async #failKnown(op: RunOp, reason: string): Promise<void> {
    const ended: Ending = { exit: { kind: 'not started', reason }, attempts: 0 };
    this.#shared.steps.push({ op, exitCode: null, ...ended, failed: true });
    this.#failed = true;
    await this.#commands.showBoth(op, ended);
  }

  async #runHook(op: HookOp, index: number): Promise<void> {
    const ended = await this.#commands.run(op, index, this.#requests.ofHook(op));
    if (ended !== undefined) this.#shared.hooks.push({ op, exitCode: exitCode(ended.exit) });
    this.#failed ||= ended === undefined || hasFailed(ended.exit);
  }

  async #test(op: ConditionOp, index: number): Promise<void> {
    if (index < this.#refused.until) return;
    const reason = this.#missing.ofCondition(op);
    if (reason !== undefined) {
      this.#calls.skipGuarded(index);
      return await this.#refuse(op, { start: this.#next, end: op.target }, reason);
    }
    const { holds, exit } = await this.#answer(op, index);
    if (this.#failed || this.#commands.isStopped(op)) return;
    await this.#shared.journal.decide(index, holds);
    if (!holds) await this.#skip(op, index, exit);
  }

  async #skip(op: ConditionOp, index: number, exit: Exit | null): Promise<void> {
    await this.#commands.show({ kind: 'skipped', op, exit });
    this.#calls.skipGuarded(index);
    const guarded = this.#ops[index + 1];
    if (guarded?.kind === 'parallel' && guarded.call === op.call && guarded.step === op.step)
      this.#calls.skipTo(guarded.end.call);
    this.#keepUpTo(op.target);
  }

  async #answer(op: ConditionOp, index: number): Promise<Readonly<{ holds: boolean; exit: Exit | null }>> {
    const { test, frame } = op;
    if (test.kind === 'variable') {
      const value = this.#requests.environment(frame).get(test.name) ?? '';
      if (looksNegative(value)) await this.#rejectValue(op, test.name, value);
      return { holds: value !== '', exit: null };
    }
    const ended = await this.#commands.run(op, index, this.#requests.ofCondition(op, test.command, test.reads));
    this.#failed ||= ended !== undefined && isNoAnswer(ended.exit);
    return { holds: ended !== undefined && exitCode(ended.exit) === 0, exit: ended?.exit ?? null };
  }

  /** Fails the run at a condition whose variable has a value that says no. Only an output has one at this point. */
  async #rejectValue(op: ConditionOp, variable: string, value: string): Promise<void> {
    const source = this.#requests.settingOf(op.frame, variable)?.source ?? 'environment';
    const rejection = { kind: 'negative value', variable, value, source } as const;
    this.#failed = true;
    await this.#commands.showBoth(op, { exit: { kind: 'rejected', rejection }, attempts: 1 });
  }

  async #runStep(op: RunOp, index: number): Promise<void> {
    const reason = index < this.#refused.until ? this.#refused.reason : this.#missing.ofStep(op);
    // Those with `_` are in the request, or for a resume. A new option does not compile until it is handled.
    const { outputs: _out, timeout: _limit, retry, allowFailure: _allow, onCrash: _crash, ...others } = op.options;
    others satisfies Record<string, never>;
    const ended =
      reason === undefined
        ? await this.#commands.run(op, index, this.#requests.ofStep(op), retry)
        : await this.#commands.refuse(op, index, reason);
    if (ended === undefined) {
      this.#failed = true;
      return;
    }
    const { exit } = ended;
    const failed = hasFailed(exit);
    this.#shared.steps.push({ op, exitCode: exitCode(exit), ...ended, failed });
    if (exit.kind === 'exited' && exit.outputs?.ok === true) this.#requests.addOutputs(index, exit.outputs.values);
    if (failed) this.#missing.addFailed(index);
    this.#failed ||= failed && !isAllowed(exit, op.options);
  }

  /** Runs the branches of a group, each by an interpreter of its own. */
  async #runGroup(op: ParallelOp, index: number): Promise<void> {
    const { end } = op;
    const reason = index < this.#refused.until ? undefined : this.#missing.ofCall(op);
    if (reason !== undefined) await this.#refuse(op, { start: this.#next, end: end.op }, reason);
    // In a refused group, that holds for an empty call at its end as well.
    const refused = index < this.#refused.until ? { ...this.#refused, until: end.op + 1 } : undefined;
    await this.#commands.show({ kind: 'group started', op });
    const failed = await runBranches(op, this.#runner, {
      run: (branch, runner) => new Interpreter(this.#shared, runner, branch, refused).run(),
      observe: this.#shared.settings.observe,
    });
    await this.#commands.show({ kind: 'group ended', op, failed });
    this.#failed ||= failed;
    this.#keepUnstarted(op);
    this.#calls.skipTo(end.call);
    this.#next = end.op;
  }

  /** Makes the steps among some ops fail without being started. Without such a step, the run fails here. */
  async #refuse(step: StepPosition, { start, end }: Pick<Call, 'start' | 'end'>, reason: string): Promise<void> {
    this.#refused = { until: end, reason };
    for (let index = start; index < end; index += 1) if (this.#ops[index]?.kind === 'run') return;
    this.#failed = true;
    await this.#commands.show({ kind: 'refused', step, reason });
  }

  /** Keeps the finished steps of branches that did not start. */
  #keepUnstarted({ branches, end }: ParallelOp): void {
    if (!this.#failed && this.#runner.interruption === undefined) return;
    const results = new Set(this.#shared.steps.map(({ op }) => op));
    for (let index = branches[0]?.start.op ?? end.op; index < end.op; index += 1) {
      const [op, known] = [at(this.#ops, index), this.#shared.journal.known(index)];
      if (known?.kind === 'finished' && op.kind === 'run' && !results.has(op)) this.#keep(op, index, known.result);
    }
  }
}
