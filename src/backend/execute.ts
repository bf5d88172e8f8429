import type { Retry } from '../frontend/ast.ts';
import { at, runsAfterFailure, type ConditionOp, type HookOp, type Op, type Plan, type RunOp } from '../ir/plan.ts';
import { unreachable } from '../unreachable.ts';
import type { CommandRequest, CommandRunner, Exit } from './command_runner.ts';
import { Requests } from './requests.ts';

/** An op whose command ran. */
export type OpResult<Kind> = Readonly<{ op: Kind; exitCode: number }>;

/** A step that ran: the number of its attempts, how the last one ended, and whether it failed. */
export type StepResult = OpResult<RunOp> & Readonly<{ attempts: number; exit: Exit; failed: boolean }>;

/** The result of a run: the steps and hooks that ran, in order. */
export type Outcome = Readonly<{
  success: boolean;
  interrupted: NodeJS.Signals | undefined;
  steps: readonly StepResult[];
  hooks: readonly OpResult<HookOp>[];
}>;

/**
 * An event of a run, for reporters. Skipped: a condition does not hold. Waiting: an attempt failed, and another one
 * follows. An op ends once, with its last attempt.
 */
export type RunEvent = Readonly<
  | { kind: 'started'; op: Op }
  | { kind: 'waiting'; op: RunOp; exit: Exit; attempt: number }
  | { kind: 'ended'; op: Op; exit: Exit; attempts: number }
  | { kind: 'skipped'; op: ConditionOp }
>;

/** The exit code of a command: 126 if it was not started, as in a shell, and 124 after a timeout, as in timeout(1). */
export function exitCode(exit: Exit): number {
  switch (exit.kind) {
    case 'exited':
      return exit.code;
    case 'timed out':
      return 124;
    case 'not started':
      return 126;
    default:
      return unreachable(exit);
  }
}

/** Whether a command failed. One that exits with 0 fails without its outputs. */
export function hasFailed(exit: Exit): boolean {
  return exitCode(exit) !== 0 || (exit.kind === 'exited' && exit.outputs?.ok === false);
}

/**
 * Runs a plan. `base` is the environment under the plan's own variables; `observe` receives every event.
 *
 * A failed or interrupted run continues through the ops, but runs only the hooks for failure and for either case.
 */
export async function execute(
  plan: Plan,
  runner: CommandRunner,
  base: ReadonlyMap<string, string>,
  observe: (event: RunEvent) => void,
): Promise<Outcome> {
  return await new Interpreter(plan, runner, base, observe).run();
}

/** How a command ended, after one or more attempts. */
type Ending = Readonly<{ exit: Exit; attempts: number }>;

class Interpreter {
  readonly #ops: readonly Op[];
  readonly #runner: CommandRunner;
  readonly #observe: (event: RunEvent) => void;
  readonly #requests: Requests;
  readonly #steps: StepResult[] = [];
  readonly #hooks: OpResult<HookOp>[] = [];
  #next = 0;
  #failed = false;

  constructor(
    plan: Plan,
    runner: CommandRunner,
    base: ReadonlyMap<string, string>,
    observe: (event: RunEvent) => void,
  ) {
    this.#ops = plan.ops;
    this.#runner = runner;
    this.#observe = observe;
    this.#requests = new Requests(plan, base);
  }

  async run(): Promise<Outcome> {
    while (this.#next < this.#ops.length && this.#runner.interruption?.forced !== true) {
      this.#failed ||= this.#runner.interruption !== undefined;
      const op = at(this.#ops, this.#next);
      this.#next += 1;
      if (this.#applies(op)) await this.#execute(op);
    }
    const interrupted = this.#runner.interruption?.signal;
    const success = !this.#failed && interrupted === undefined;
    return { success, interrupted, steps: this.#steps, hooks: this.#hooks };
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
        return await this.#test(op);
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

  async #test(op: ConditionOp): Promise<void> {
    const holds = await this.#holds(op);
    if (holds || this.#failed || this.#runner.interruption !== undefined) return;
    await this.#show({ kind: 'skipped', op });
    this.#next = op.target;
  }

  async #holds(op: ConditionOp): Promise<boolean> {
    const { test, frame } = op;
    if (test.kind === 'variable') return Boolean(this.#requests.environment(frame).get(test.name));
    const ended = await this.#command(op, this.#requests.ofCondition(op, test.command, test.reads));
    this.#failed ||= ended?.exit.kind === 'not started';
    return ended !== undefined && exitCode(ended.exit) === 0;
  }

  async #runStep(op: RunOp, index: number): Promise<void> {
    // `outputs` and `timeout` are in the request. A new option does not compile until it is handled.
    const { outputs: _outputs, timeout: _timeout, retry, allowFailure, ...others } = op.options;
    others satisfies Record<string, never>;
    const ended = await this.#command(op, this.#requests.ofStep(op), retry);
    if (ended === undefined) {
      this.#failed = true;
      return;
    }
    const { exit } = ended;
    const failed = hasFailed(exit);
    this.#steps.push({ op, exitCode: exitCode(exit), ...ended, failed });
    if (exit.kind === 'exited' && exit.outputs?.ok === true) this.#requests.addOutputs(index, exit.outputs.values);
    this.#failed ||= failed && !allowFailure;
  }

  /** Runs the command of an op, with more attempts if it fails; undefined if an interruption comes first. */
  async #command(op: Op, request: CommandRequest, retry: Retry | null = null): Promise<Ending | undefined> {
    await this.#runner.ready();
    if (this.#isStopped(op)) return undefined;
    await this.#show({ kind: 'started', op });
    if (this.#isStopped(op)) return undefined;
    let ended: Ending = { exit: await this.#runner.run(request), attempts: 1 };
    if (op.kind === 'run' && retry !== null) ended = await this.#retry(op, request, retry, ended.exit);
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
    this.#observe(event);
    await turn();
    await turn();
  }
}

/** A turn of the event loop. The promises of `timers/promises` would load more modules, and cost more garbage. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
