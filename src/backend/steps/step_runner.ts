import type { RunOp, Variable } from '../../ir/plan.ts';
import type { Attempts } from '../attempts.ts';
import type { AskingStep } from '../confirmations.ts';
import { isAllowed, isStopped, type Exit } from '../command_runner.ts';
import { addResult } from './step_results.ts';

/** Runs the steps of a run or of a branch, with their questions and checks. */
export class StepRunner {
  readonly #commands: Attempts;
  readonly #fail: () => void;

  constructor(commands: Attempts, onFailure: () => void) {
    this.#commands = commands;
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
    const { shared, runner } = this.#commands;
    const { checks, requests, journal } = shared;
    let found: readonly Variable[] | undefined;
    const mayStart = async (): Promise<boolean> => {
      found = await checks?.start(index, runner);
      return found === undefined;
    };
    const begin = checks === undefined ? undefined : mayStart;
    const ended = await this.#commands.runUnless(reason, op, index, () => requests.ofStep(op), begin);
    if (found !== undefined) {
      await journal.decide(index - 1, false, found);
      return 'up to date';
    }
    await checks?.end(index, ended?.exit, runner);
    if (ended === undefined || (addResult(shared, op, index, ended) && !isAllowed(ended.exit, op.options)))
      this.#fail();
    return 'ended';
  }

  /**
   * Adds a step that counts as failed, because it was running when an earlier session ended. Its record says so: in the
   * next resume it is a failed step.
   */
  async failKnown(op: RunOp, index: number, reason: string): Promise<void> {
    const exit: Exit = { kind: 'not started', reason, isLost: true };
    this.#commands.shared.steps.push({ op, exitCode: null, exit, attempts: 0, failed: true });
    this.#fail();
    await this.#commands.refuse(op, index, exit);
  }

  /** Asks the questions of steps before any of them runs. A declined question fails the run. */
  async isConfirmed(steps: Iterable<AskingStep>): Promise<boolean> {
    const { shared, runner } = this.#commands;
    for (const step of steps) {
      const { op, index } = step;
      const { confirm } = op.options;
      const answer = confirm === null ? 'yes' : await shared.confirmations?.ask(step, runner);
      // The step does not run anyway if its question was cut off.
      const isInterrupted = isStopped(runner);
      if (answer === 'yes' && !isInterrupted) continue;
      this.#fail();
      if (!isInterrupted) {
        const asked = answer === 'no';
        shared.journal.decline(index, asked);
        await this.#commands.show({ kind: 'declined', op, index, asked });
      }
      return false;
    }
    return true;
  }
}
