import type { Retry } from '../frontend/ast.ts';
import { looksNegative } from '../frontend/lint/conditions.ts';
import { at, runsAfterFailure, type Call, type ConditionOp, type HookOp, type Op, type Plan } from '../ir/plan.ts';
import type { RunOp, StepPosition } from '../ir/plan.ts';
import { unreachable } from '../unreachable.ts';
import { CallCursor } from './call_cursor.ts';
import { exitCode, hasFailed, isNotRunnable } from './command_runner.ts';
import type { CommandRequest, CommandRunner, Exit } from './command_runner.ts';
import { MissingOutputs } from './missing_outputs.ts';
import { Requests } from './requests.ts';
import type { OpResult, Outcome, RunEvent, StepResult } from './run_event.ts';

/**
 * `base` is the environment under the plan's own variables. With `strict`, a condition that could not be run fails the
 * run. `observe` receives every event.
 */
type RunSettings = Readonly<{ base: ReadonlyMap<string, string>; strict: boolean; observe: (event: RunEvent) => void }>;

/**
 * Runs a plan. A failed or interrupted run continues through the ops, but runs only the hooks for failure and for
 * either case.
 */
export async function execute(plan: Plan, runner: CommandRunner, settings: RunSettings): Promise<Outcome> {
  return await new Interpreter(plan, runner, settings).run();
}

/** How a command ended, after one or more attempts. */
type Ending = Readonly<{ exit: Exit; attempts: number }>;

class Interpreter {
  readonly #ops: readonly Op[];
  readonly #runner: CommandRunner;
  readonly #settings: RunSettings;
  readonly #requests: Requests;
  readonly #calls: CallCursor;
  readonly #missing: MissingOutputs;
  readonly #steps: StepResult[] = [];
  readonly #hooks: OpResult<HookOp>[] = [];
  #next = 0;
  #failed = false;
  /** The steps before the op `until` fail without being started, because a reference has no value. */
  #refused = { until: 0, reason: '' };

  constructor(plan: Plan, runner: CommandRunner, settings: RunSettings) {
    this.#ops = plan.ops;
    this.#runner = runner;
    this.#settings = settings;
    this.#requests = new Requests(plan, settings.base);
    this.#calls = new CallCursor(plan.calls);
    this.#missing = new MissingOutputs(plan, (read) => this.#requests.hasValue(read));
  }

  async run(): Promise<Outcome> {
    while (this.#next < this.#ops.length && this.#runner.interruption?.forced !== true) {
      await this.#enterCalls();
      const op = at(this.#ops, this.#next);
      this.#next += 1;
      if (this.#applies(op)) await this.#execute(op);
    }
    await this.#enterCalls();
    const interrupted = this.#runner.interruption?.signal;
    const success = !this.#failed && interrupted === undefined;
    return { success, interrupted, steps: this.#steps, hooks: this.#hooks };
  }

  /** Enters the calls that begin before the next op, and refuses those whose `with` has a reference without a value. */
  async #enterCalls(): Promise<void> {
    this.#failed ||= this.#runner.interruption !== undefined;
    if (this.#failed) return;
    for (const [index, call] of this.#calls.enter(this.#next)) {
      const reason = this.#missing.ofCall(call);
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
      default:
        return unreachable(op);
    }
  }

  async #runHook(op: HookOp): Promise<void> {
    const ended = await this.#command(op, this.#requests.ofHook(op));
    if (ended !== undefined) this.#hooks.push({ op, exitCode: exitCode(ended.exit) });
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
    if (holds || this.#failed || this.#runner.interruption !== undefined) return;
    await this.#show({ kind: 'skipped', op, exit });
    this.#calls.skipGuarded(index);
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
    this.#failed ||= ended?.exit.kind === 'not started' || ended?.exit.kind === 'rejected';
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
    const { outputs: _outputs, timeout: _timeout, retry, allowFailure, ...others } = op.options;
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
    this.#steps.push({ op, exitCode: exitCode(exit), ...ended, failed });
    if (exit.kind === 'exited' && exit.outputs?.ok === true) this.#requests.addOutputs(index, exit.outputs.values);
    if (failed) this.#missing.addFailed(index);
    this.#failed ||= failed && !allowFailure;
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
  async #command(op: Op, request: CommandRequest, retry: Retry | null = null): Promise<Ending | undefined> {
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

  /** Whether an interruption keeps the command of an op from starting. */
  #isStopped(op: Op): boolean {
    const { interruption } = this.#runner;
    return runsAfterFailure(op) ? interruption?.forced === true : interruption !== undefined;
  }

  /** Reports an event. Two turns of the event loop let a signal in that came while the reporters were busy. */
  async #show(event: RunEvent): Promise<void> {
    this.#settings.observe(event);
    await turn();
    await turn();
  }
}

function rejectNotRunnable(exit: Exit): Exit {
  if (!isNotRunnable(exit)) return exit;
  return { kind: 'rejected', rejection: { kind: 'not runnable', code: exit.code } };
}

/** A turn of the event loop. The promises of `timers/promises` would load more modules, and cost more garbage. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
