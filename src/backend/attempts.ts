import { at, isWorkflowHook, runsAfterFailure, type CommandOp, type HookOp, type Op, type RunOp } from '../ir/plan.ts';
import { exitCode, hasFailed, isAllowed, isStopped, rejectNotRunnable } from './command_runner.ts';
import type { CommandRunner, Exit } from './command_runner.ts';
import type { RunEvent } from './run_event.ts';
import type { ResolvedCommand } from './command_requests.ts';
import type { SharedState } from './run_settings.ts';
import { turn } from './system/sleep.ts';

/** Maximum age of a poll, in seconds, that makes another one after the announcement of a command unnecessary. */
const RECENT = 0.001;

/** The end of a command after one or more attempts. */
export type CommandResult = Readonly<{ exit: Exit; attempts: number }>;

/** Runs the commands of a run or of a branch: their attempts, with the events and records of each. */
export class Attempts {
  readonly runner: CommandRunner;
  readonly shared: SharedState;
  /** The time of the last poll for signals, in seconds since the start of the process. */
  #polled = Number.NEGATIVE_INFINITY;

  constructor(runner: CommandRunner, shared: SharedState) {
    this.runner = runner;
    this.shared = shared;
  }

  /** Records and reports a command that fails without starting. */
  async refuse(op: RunOp | HookOp, index: number, exit: Exit & { kind: 'not started' }): Promise<CommandResult> {
    const ended: CommandResult = { exit, attempts: 0 };
    await this.show({ kind: 'started', op, index });
    await this.#attempt(op, index, 0, () => Promise.resolve(ended.exit));
    await this.show({ kind: 'ended', op, index, ...ended });
    return ended;
  }

  /** Runs the command of a step or hook, unless there is a reason why it fails without starting. */
  async runUnless(
    reason: string | undefined,
    op: RunOp | HookOp,
    index: number,
    requestOf: () => ResolvedCommand,
    mayStart?: () => Promise<boolean>,
  ): Promise<CommandResult | undefined> {
    if (reason !== undefined) return this.refuse(op, index, { kind: 'not started', reason });
    if (op.secrets === undefined) return this.run(op, index, requestOf, mayStart);
    await this.runner.ready();
    const problem = await this.#secretProblem(op, index, 1);
    if (this.isStopped(op)) return undefined;
    if (problem !== undefined) return this.refuse(op, index, { kind: 'not started', reason: problem });
    return this.run(op, index, requestOf, mayStart);
  }

  /**
   * Runs the command of an op, and repeats it if it fails. Returns undefined if an interruption comes first. Each attempt
   * has a request of its own, because secrets are fetched before the first one that is not replayed. `mayStart` is called
   * last before the first one.
   */
  async run(
    op: CommandOp,
    index: number,
    requestOf: () => ResolvedCommand,
    mayStart?: () => Promise<boolean>,
  ): Promise<CommandResult | undefined> {
    await this.runner.ready();
    if (this.isStopped(op)) return undefined;
    if (mayStart !== undefined && (!(await mayStart()) || this.isStopped(op))) return undefined;
    await this.show({ kind: 'started', op, index });
    if (this.isStopped(op)) return undefined;
    const run = (attempt: number): Promise<Exit> =>
      this.#attempt(op, index, attempt, async (number) => {
        const reason = attempt === 1 ? undefined : await this.#secretProblem(op, index, attempt);
        if (reason !== undefined) return { kind: 'not started', reason };
        const exit = await this.runner.run({ ...requestOf(), number });
        return this.shared.settings.secrets?.marked(exit) ?? exit;
      });
    let ended: CommandResult = { exit: await run(1), attempts: 1 };
    while (op.kind === 'run' && this.#isRepeated(op, ended.exit, ended.attempts)) {
      await this.show({ kind: 'waiting', op, index, exit: ended.exit, attempt: ended.attempts });
      await this.runner.wait(op.options.retry?.delay ?? 0);
      if (this.isStopped(op)) break;
      ended = { exit: await run(ended.attempts + 1), attempts: ended.attempts + 1 };
    }
    if (op.kind === 'condition' && this.shared.settings.strict)
      ended = { ...ended, exit: rejectNotRunnable(ended.exit) };
    await this.show({ kind: 'ended', op, index, ...ended });
    return ended;
  }

  /** Gets the secrets for an attempt at a command. Returns the problem with them. */
  async #secretProblem(op: CommandOp, index: number, attempt: number): Promise<string | undefined> {
    const { settings, journal } = this.shared;
    if (op.kind === 'condition' || op.secrets === undefined) return undefined;
    const isStopped = (): boolean => this.isStopped(op);
    const command = { op, index, attempt, journal, runner: this.runner, isStopped };
    return settings.secrets?.prepare(op.secrets, command);
  }

  /** Runs a command and records its start and end. */
  async #attempt(op: CommandOp, index: number, attempt: number, run: (number: number) => Promise<Exit>): Promise<Exit> {
    const { journal, nextNumber, started } = this.shared;
    const number = nextNumber();
    if (op.kind !== 'hook' || op.hook !== 'finally') started.add(index);
    const before = this.runner.interruption;
    const reason = await journal.start(number, index, attempt);
    const exit: Exit = reason === undefined ? await run(number) : { kind: 'not started', reason };
    this.shared.settings.beforeEnd?.({ kind: 'ended', op, index, exit, attempts: attempt });
    const allowed = op.kind === 'run' && isAllowed(exit, op.options);
    const more = this.#isRepeated(op, exit, attempt);
    const { interruption } = this.runner;
    // The clean-up of a workflow after a signal has not received it.
    const interrupted = interruption !== undefined && !(isWorkflowHook(op) && interruption === before);
    await journal.end(number, { exit, failed: hasFailed(exit), allowed, more, interrupted });
    return exit;
  }

  /** Whether another attempt follows. Attempt 0 is a command that has not started. Missing outputs are not repeated. */
  #isRepeated(op: CommandOp, exit: Exit, attempt: number): boolean {
    const most = op.kind === 'run' ? (op.options.retry?.maxAttempts ?? 0) : 0;
    return attempt > 0 && attempt < most && exitCode(exit) !== 0 && !this.isStopped(op);
  }

  /** Whether an interruption or the cancellation of its branch prevents an op's command from starting. */
  isStopped(op: Op): boolean {
    return runsAfterFailure(op) ? this.runner.interruption?.forced === true : isStopped(this.runner);
  }

  /** Whether a command of the execution to which a hook belongs has started in this session. */
  hasStartedBefore(hook: Op, index: number): boolean {
    const { plan, started } = this.shared;
    const start = isWorkflowHook(hook) ? at(plan.calls, hook.call).start : 0;
    return [...started].some((each) => each >= start && each < index);
  }

  /** Reports the start and the end of an op whose command does not start. */
  async showBoth(op: CommandOp, index: number, ended: CommandResult): Promise<void> {
    await this.show({ kind: 'started', op, index });
    await this.show({ kind: 'ended', op, index, ...ended });
  }

  /** Reports an op for which no command runs. */
  pass(op: Op, index: number, kind: 'kept' | 'left out'): void {
    this.shared.settings.observe({ kind, op, index });
  }

  /**
   * Reports an event. Two turns of the event loop include a whole poll, which delivers signals that arrived while the
   * reporters were busy. An announcement that takes no time needs none: the end of the last command has just had one.
   */
  async show(event: RunEvent): Promise<void> {
    this.shared.settings.observe(event);
    if (event.kind === 'started' && process.uptime() - this.#polled < RECENT) return;
    await turn();
    await turn();
    this.#polled = process.uptime();
  }
}
