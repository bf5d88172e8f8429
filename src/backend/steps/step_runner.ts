import type { RunOp, Variable } from '../../ir/plan.ts';
import type { Attempts } from '../attempts.ts';
import type { AskingStep } from '../confirmations.ts';
import { isAllowed, isStopped, type CommandRunner, type Exit } from '../command_runner.ts';
import type { SharedState } from '../run_settings.ts';
import type { StepResults } from './step_results.ts';

/** Runs the steps of a run or of a branch, with their questions and checks. */
export class StepRunner {
  readonly #shared: SharedState;
  readonly #runner: CommandRunner;
  readonly #commands: Attempts;
  readonly #results: StepResults;
  readonly #fail: () => void;

  constructor(
    shared: SharedState,
    runner: CommandRunner,
    commands: Attempts,
    results: StepResults,
    onFailure: () => void,
  ) {
    this.#shared = shared;
    this.#runner = runner;
    this.#commands = commands;
    this.#results = results;
    this.#fail = onFailure;
  }

  /** Runs a step, unless there is a reason why it cannot start. Another run may have brought it up to date. */
  async run(op: RunOp, index: number, reason: string | undefined): Promise<'ended' | 'up to date'> {
    // Other options are part of the request, used for resuming, or asked about here. A new option fails to compile
    // until it is handled.
    const {
      outputs: _out,
      timeout: _limit,
      retry: _retry,
      allowFailure: _allow,
      onCrash: _crash,
      onResume: _resume,
      confirm: _ask,
      // They are started elsewhere.
      background: _background,
      ready: _ready,
      ...others
    } = op.options;
    others satisfies Record<string, never>;
    if (reason === undefined && !(await this.isConfirmed([{ op, index }]))) return 'ended';
    const { checks, requests, journal } = this.#shared;
    let found: readonly Variable[] | undefined;
    const mayStart = async (): Promise<boolean> => {
      found = await checks?.start(index, this.#runner);
      return found === undefined;
    };
    const begin = checks === undefined ? undefined : mayStart;
    const ended = await this.#commands.runUnless(reason, op, index, () => requests.ofStep(op), begin);
    if (found !== undefined) {
      await journal.decide(index - 1, false, found);
      return 'up to date';
    }
    await checks?.end(index, ended?.exit, this.#runner);
    if (ended === undefined || (this.#results.add(op, index, ended) && !isAllowed(ended.exit, op.options)))
      this.#fail();
    return 'ended';
  }

  /**
   * Adds a step that counts as failed, because it was running when an earlier session ended. Its record says so: in the
   * next resume it is a failed step.
   */
  async failKnown(op: RunOp, index: number, reason: string): Promise<void> {
    const exit: Exit = { kind: 'not started', reason, isLost: true };
    this.#shared.steps.push({ op, exitCode: null, exit, attempts: 0, failed: true });
    this.#fail();
    await this.#commands.refuse(op, index, exit);
  }

  /** Asks the questions of steps before any of them runs. A declined question fails the run. */
  async isConfirmed(steps: Iterable<AskingStep>): Promise<boolean> {
    for (const step of steps) {
      const { op, index } = step;
      const { confirm } = op.options;
      const answer = confirm === null ? 'yes' : await this.#shared.confirmations?.ask(step, this.#runner);
      // The step does not run anyway if its question was cut off.
      const isInterrupted = isStopped(this.#runner);
      if (answer === 'yes' && !isInterrupted) continue;
      this.#fail();
      if (!isInterrupted) {
        const asked = answer === 'no';
        this.#shared.journal.decline(index, asked);
        await this.#commands.show({ kind: 'declined', op, index, asked });
      }
      return false;
    }
    return true;
  }
}
