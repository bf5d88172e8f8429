import { onEither } from '../command_runner.ts';
import type {
  BranchOptions,
  BranchRunner,
  CommandRequest,
  CommandRunner,
  Exit,
  Interruption,
  OnCancel,
} from '../command_runner.ts';

/** Runs commands beside steps in the background. `end` ends all of them, also hooks and members of groups. */
export class SupervisedRunner implements CommandRunner {
  readonly #port: CommandRunner;
  readonly #ends = new Set<(because: string) => void>();
  /** The reason why everything has ended. */
  #because: string | undefined;

  constructor(port: CommandRunner) {
    this.#port = port;
  }

  get interruption(): Interruption | undefined {
    return this.#port.interruption;
  }

  get isCancelled(): boolean {
    return this.#because !== undefined || this.#port.isCancelled;
  }

  ready(): Promise<void> {
    return this.#port.ready();
  }

  /** Hooks still run after the end. */
  async run(request: CommandRequest): Promise<Exit> {
    const exit = await this.#port.run({ ...request, onCancel: onEither(this.#onCancel, request.onCancel) });
    return exit.kind === 'cancelled' && this.#because !== undefined ? { ...exit, because: this.#because } : exit;
  }

  async wait(milliseconds: number, onCancel?: OnCancel): Promise<void> {
    if (this.#because !== undefined) return;
    await this.#port.wait(milliseconds, onEither(this.#onCancel, onCancel));
  }

  fork(options: BranchOptions): BranchRunner {
    const branch = this.#port.fork(options);
    // Other steps in the background are stopped in their order.
    if ('kind' in options.branch) return branch;
    return new SupervisedBranch(branch, this.#onCancel);
  }

  /** Ends the running commands and waits. Later commands do not start, except for hooks. */
  end(because: string): void {
    this.#because ??= because;
    for (const end of this.#ends) end(because);
    this.#ends.clear();
  }

  /** Calls a function at the end. Returns a function that revokes this. */
  readonly #onCancel = (end: (because: string) => void): (() => void) => {
    this.#ends.add(end);
    return () => void this.#ends.delete(end);
  };
}

class SupervisedBranch extends SupervisedRunner implements BranchRunner {
  readonly #branch: BranchRunner;
  readonly #revoke: () => void;

  constructor(branch: BranchRunner, onEnd: (end: (because: string) => void) => () => void) {
    super(branch);
    this.#branch = branch;
    this.#revoke = onEnd((because) => this.end(because));
  }

  get hasOutput(): boolean {
    return this.#branch.hasOutput;
  }

  cancel(): void {
    this.#branch.cancel();
  }

  close(): void {
    this.#revoke();
    this.#branch.close();
  }
}
