import type { BranchRunner, CommandRequest, Exit } from '../command_runner.ts';

/** Returns the assumed exit of a request. */
type AssumedExit = (request: CommandRequest) => Exit;

/** The exit code of a command that SIGTERM ended, in a shell. */
const TERMINATED = 143;

/**
 * Starts nothing: every command ends immediately with its assumed exit, and waiting takes no time. The branches of a
 * group start concurrently, and their commands end in the order of the plan, branch by branch.
 */
export class SimulatedRunner implements BranchRunner {
  readonly interruption = undefined;
  readonly hasOutput = false;
  readonly #answer: AssumedExit;
  readonly #parent: SimulatedRunner | undefined;
  /** Settles when it is this branch's turn. */
  readonly #turn: Promise<unknown>;
  /** Settles when all branches so far are closed. */
  #forks: Promise<unknown>;
  #isCancelled = false;
  #onClose: (() => void) | undefined;

  constructor(answer: AssumedExit, turn: Promise<unknown> = Promise.resolve(), parent?: SimulatedRunner) {
    this.#answer = answer;
    this.#turn = turn;
    this.#forks = turn;
    this.#parent = parent;
  }

  get isCancelled(): boolean {
    return this.#isCancelled || this.#parent?.isCancelled === true;
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  async run(request: CommandRequest): Promise<Exit> {
    await this.#turn;
    return this.isCancelled && request.completes !== true
      ? { kind: 'cancelled', code: TERMINATED }
      : this.#answer(request);
  }

  /** Takes no time once it is this branch's turn. */
  async wait(): Promise<void> {
    await this.#turn;
  }

  fork(): BranchRunner {
    const branch = new SimulatedRunner(this.#answer, this.#forks, this);
    const closed = new Promise<void>((resolve) => {
      branch.#onClose = resolve;
    });
    this.#forks = this.#forks.then(() => closed);
    return branch;
  }

  cancel(): void {
    this.#isCancelled = true;
  }

  close(): void {
    this.#onClose?.();
  }
}
