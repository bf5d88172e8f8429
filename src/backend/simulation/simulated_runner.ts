import { exitCode, LONGEST_WAIT, TERMINATED } from '../command_runner.ts';
import type {
  BackgroundRequest,
  BranchOptions,
  BranchRunner,
  CommandRequest,
  Exit,
  OnCancel,
} from '../command_runner.ts';

/**
 * `answer` returns the assumed exit of a request. `onBackground` receives a function that ends a command in the background,
 * as if it ended by itself.
 */
type Assumed = Readonly<{
  answer: (request: CommandRequest) => Exit;
  onBackground: (request: CommandRequest, die: () => void) => void;
}>;

/**
 * Starts nothing: every command ends immediately with its assumed exit, and waiting takes no time. The branches of a
 * group start concurrently, and their commands end in the order of the plan, branch by branch.
 */
export class SimulatedRunner implements BranchRunner {
  readonly interruption = undefined;
  readonly hasOutput = false;
  readonly #assumed: Assumed;
  readonly #parent: SimulatedRunner | undefined;
  /** Settles when it is this branch's turn. */
  readonly #turn: Promise<unknown>;
  /** Settles when all branches so far are closed. */
  #forks: Promise<unknown>;
  #isCancelled = false;
  #onClose: (() => void) | undefined;
  #onCancel: (() => void) | undefined;

  constructor(assumed: Assumed, turn: Promise<unknown> = Promise.resolve(), parent?: SimulatedRunner) {
    this.#assumed = assumed;
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
    if (request.background !== undefined) return this.#runInBackground(request, request.background);
    return this.isCancelled && request.completes !== true
      ? { kind: 'cancelled', code: TERMINATED }
      : this.#assumed.answer(request);
  }

  /** A command in the background is ready at once, unless it is assumed to fail, and ends when it is cancelled. */
  #runInBackground(request: CommandRequest, { onReady, onEnd }: BackgroundRequest): Promise<Exit> {
    const ended = new Promise<Exit>((resolve) => {
      this.#onCancel = () => resolve({ kind: 'cancelled', code: TERMINATED });
      this.#assumed.onBackground(request, () => {
        onEnd();
        resolve({ kind: 'exited', code: 1 });
      });
    });
    const exit = this.#assumed.answer(request);
    if (exitCode(exit) !== 0) return Promise.resolve(exit);
    onReady(0);
    return ended;
  }

  /** Takes no time once it is this branch's turn. */
  async wait(milliseconds: number, onCancel?: OnCancel): Promise<void> {
    // Something else ends the wait for a step in the background.
    if (milliseconds === LONGEST_WAIT && onCancel !== undefined)
      return new Promise((resolve) => void onCancel(resolve));
    await this.#turn;
  }

  fork({ branch: given }: BranchOptions): BranchRunner {
    // A step in the background has no turn.
    if ('kind' in given) return new SimulatedRunner(this.#assumed, this.#turn);
    const branch = new SimulatedRunner(this.#assumed, this.#forks, this);
    const closed = new Promise<void>((resolve) => {
      branch.#onClose = resolve;
    });
    this.#forks = this.#forks.then(() => closed);
    return branch;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#onCancel?.();
  }

  close(): void {
    this.#onClose?.();
  }
}
