import type { Retry } from '../frontend/ast.ts';
import { looksNegative } from '../frontend/lint/conditions.ts';
import {
  at,
  runsAfterFailure,
  type Branch,
  type Call,
  type CommandOp,
  type ConditionOp,
  type HookOp,
} from '../ir/plan.ts';
import type { Op, ParallelOp, RunOp, StepPosition } from '../ir/plan.ts';
import { unreachable } from '../unreachable.ts';
import { CallCursor } from './call_cursor.ts';
import { exitCode, hasFailed, isAllowed, rejectNotRunnable } from './command_runner.ts';
import type { CommandRequest, CommandRunner, Exit } from './command_runner.ts';
import type { SharedState } from './shared_state.ts';
import { turn } from './system/sleep.ts';
import { runBranches } from './branches.ts';
import type { MissingOutputs } from './missing_outputs.ts';
import type { Requests } from './requests.ts';
import type { RunEvent } from './run_event.ts';

/** How a command ended, after one or more attempts. */
type Ending = Readonly<{ exit: Exit; attempts: number }>;

/** The steps before the op `until` fail without being started, because a reference has no value. */
type Refused = Readonly<{ until: number; reason: string }>;

/** Runs a range of a plan's ops: the whole plan, or one branch of a group. */
export class Interpreter {
  readonly #shared: SharedState;
  readonly #range: Pick<Branch, 'start' | 'end'>;
  readonly #ops: readonly Op[];
  readonly #runner: CommandRunner;
  readonly #settings: SharedState['settings'];
  readonly #requests: Requests;
  readonly #calls: CallCursor;
  readonly #missing: MissingOutputs;
  #next: number;
  #failed = false;
  #refused: Refused;

  constructor(
    shared: SharedState,
    runner: CommandRunner,
    range: Pick<Branch, 'start' | 'end'>,
    refused: Refused = { until: 0, reason: '' },
  ) {
    const { plan, settings, requests, missing } = shared;
    this.#shared = shared;
    this.#range = range;
    this.#ops = plan.ops;
    this.#runner = runner;
    this.#settings = settings;
    this.#requests = requests;
    this.#calls = new CallCursor(plan.calls, range.start.call, range.end.call);
    this.#missing = missing;
    this.#next = range.start.op;
    this.#refused = refused;
  }

  /** Runs the range; gives whether it failed. */
  async run(): Promise<boolean> {
    while (this.#next < this.#range.end.op && this.#runner.interruption?.forced !== true) {
      await this.#enterCalls();
      const op = at(this.#ops, this.#next);
      this.#next += 1;
      if (this.#applies(op)) await this.#execute(op);
    }
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
        return await this.#runHook(op);
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

  async #runHook(op: HookOp): Promise<void> {
    const ended = await this.#command(op, this.#requests.ofHook(op));
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
    const { holds, exit } = await this.#answer(op);
    if (holds || this.#failed || this.#isStopped(op)) return;
    await this.#show({ kind: 'skipped', op, exit });
    this.#calls.skipGuarded(index);
    const guarded = this.#ops[index + 1];
    if (guarded?.kind === 'parallel' && guarded.call === op.call && guarded.step === op.step)
      this.#calls.skipTo(guarded.end.call);
    this.#next = op.target;
  }

  async #answer(op: ConditionOp): Promise<Readonly<{ holds: boolean; exit: Exit | null }>> {
    const { test, frame } = op;
    if (test.kind === 'variable') {
      const value = this.#requests.environment(frame).get(test.name) ?? '';
      if (looksNegative(value)) await this.#rejectValue(op, test.name, value);
      return { holds: value !== '', exit: null };
    }
    const ended = await this.#command(op, this.#requests.ofCondition(op, test.command, test.reads));
    this.#failed ||= ended !== undefined && NO_ANSWER.has(ended.exit.kind);
    return { holds: ended !== undefined && exitCode(ended.exit) === 0, exit: ended?.exit ?? null };
  }

  /** Fails the run at a condition whose variable has a value that says no. Only an output has one at this point. */
  async #rejectValue(op: ConditionOp, variable: string, value: string): Promise<void> {
    const source = this.#requests.settingOf(op.frame, variable)?.source ?? 'environment';
    const rejection = { kind: 'negative value', variable, value, source } as const;
    this.#failed = true;
    await this.#show({ kind: 'started', op });
    await this.#show({ kind: 'ended', op, exit: { kind: 'rejected', rejection }, attempts: 1 });
  }

  async #runStep(op: RunOp, index: number): Promise<void> {
    const reason = index < this.#refused.until ? this.#refused.reason : this.#missing.ofStep(op);
    // `outputs` and `timeout` are in the request. A new option does not compile until it is handled.
    const { outputs: _outputs, timeout: _timeout, retry, allowFailure: _allowFailure, ...others } = op.options;
    others satisfies Record<string, never>;
    const ended =
      reason === undefined
        ? await this.#command(op, this.#requests.ofStep(op), retry)
        : await this.#skipCommand(op, reason);
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
    await this.#show({ kind: 'group started', op });
    const failed = await runBranches(op, this.#runner, {
      run: (branch, runner) => new Interpreter(this.#shared, runner, branch, refused).run(),
      observe: this.#settings.observe,
    });
    await this.#show({ kind: 'group ended', op, failed });
    this.#failed ||= failed;
    this.#calls.skipTo(end.call);
    this.#next = end.op;
  }

  /** Makes the steps among some ops fail without being started. Without such a step, the run fails here. */
  async #refuse(step: StepPosition, { start, end }: Pick<Call, 'start' | 'end'>, reason: string): Promise<void> {
    this.#refused = { until: end, reason };
    for (let index = start; index < end; index += 1) if (this.#ops[index]?.kind === 'run') return;
    this.#failed = true;
    await this.#show({ kind: 'refused', step, reason });
  }

  /** Reports a step that fails without being started. */
  async #skipCommand(op: RunOp, reason: string): Promise<Ending> {
    const ended: Ending = { exit: { kind: 'not started', reason }, attempts: 0 };
    await this.#show({ kind: 'started', op });
    await this.#show({ kind: 'ended', op, ...ended });
    return ended;
  }

  /** Runs the command of an op, with more attempts if it fails; undefined if an interruption comes first. */
  async #command(op: CommandOp, request: CommandRequest, retry: Retry | null = null): Promise<Ending | undefined> {
    await this.#runner.ready();
    if (this.#isStopped(op)) return undefined;
    await this.#show({ kind: 'started', op });
    if (this.#isStopped(op)) return undefined;
    let ended: Ending = { exit: await this.#runner.run(request), attempts: 1 };
    if (op.kind === 'run' && retry !== null) ended = await this.#retry(op, request, retry, ended.exit);
    if (op.kind === 'condition' && this.#settings.strict) ended = { ...ended, exit: rejectNotRunnable(ended.exit) };
    await this.#show({ kind: 'ended', op, ...ended });
    return ended;
  }

  /** Repeats a step after a failed first attempt. Missing outputs are no reason to. */
  async #retry(op: RunOp, request: CommandRequest, { maxAttempts, delay }: Retry, first: Exit): Promise<Ending> {
    let ended: Ending = { exit: first, attempts: 1 };
    while (exitCode(ended.exit) !== 0 && ended.attempts < maxAttempts && !this.#isStopped(op)) {
      await this.#show({ kind: 'waiting', op, exit: ended.exit, attempt: ended.attempts });
      await this.#runner.wait(delay);
      if (this.#isStopped(op)) break;
      ended = { exit: await this.#runner.run(request), attempts: ended.attempts + 1 };
    }
    return ended;
  }

  /** Whether an interruption, or the end of its branch, keeps the command of an op from starting. */
  #isStopped(op: Op): boolean {
    const { interruption, isCancelled } = this.#runner;
    return runsAfterFailure(op) ? interruption?.forced === true : interruption !== undefined || isCancelled;
  }

  /** Reports an event. Two turns of the event loop let a signal in that came while the reporters were busy. */
  async #show(event: RunEvent): Promise<void> {
    this.#settings.observe(event);
    await turn();
    await turn();
  }
}

/** The endings of a condition's command that fail the run. */
const NO_ANSWER: ReadonlySet<Exit['kind']> = new Set(['not started', 'rejected', 'cancelled']);
