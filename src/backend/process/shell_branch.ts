import type { BranchOutput } from '../outputs/branch_output.ts';
import { onEither } from '../command_runner.ts';
import type { BranchOptions, BranchRunner, CommandRequest, CommandRunner, Exit } from '../command_runner.ts';
import type { Interruption, OnCancel } from '../command_runner.ts';

/** The runner of the run, which knows the branch of a command. After `cancel`, commands and waits end early. */
type RunPort = Pick<CommandRunner, 'ready' | 'wait' | 'interruption'> &
  Readonly<{ run: (request: CommandRequest, branch: ShellBranch) => Promise<Exit> }>;

/** Runs the commands of one branch of a group. */
export class ShellBranch implements BranchRunner {
  readonly output: BranchOutput;
  readonly #port: RunPort;
  readonly #parent: ShellBranch | undefined;
  readonly #onCancel = new Set<() => void>();
  #isCancelled = false;
  #release: (() => void) | undefined;

  constructor(port: RunPort, output: BranchOutput, parent?: ShellBranch) {
    this.#port = port;
    this.output = output;
    this.#parent = parent;
  }

  get interruption(): Interruption | undefined {
    return this.#port.interruption;
  }

  get isCancelled(): boolean {
    return this.#isCancelled || this.#parent?.isCancelled === true;
  }

  get hasOutput(): boolean {
    return this.output.hasOutput;
  }

  ready(): Promise<void> {
    return this.#port.ready();
  }

  run(request: CommandRequest): Promise<Exit> {
    return this.#port.run({ ...request, input: 'none' }, this);
  }

  wait(milliseconds: number, onCancel?: OnCancel): Promise<void> {
    return this.#port.wait(
      milliseconds,
      onEither((end) => this.onCancel(end), onCancel),
    );
  }

  fork(options: BranchOptions): BranchRunner {
    const isBranch = !('kind' in options.branch);
    const child = new ShellBranch(this.#port, this.output.fork(options), isBranch ? this : undefined);
    // A step in the background is stopped after the commands of its branch.
    if (isBranch) child.#release = this.onCancel(() => child.cancel());
    return child;
  }

  cancel(): void {
    this.#isCancelled = true;
    for (const end of this.#onCancel) end();
    this.#onCancel.clear();
  }

  /** Calls a function when the branch is cancelled. Returns a function that revokes this. */
  onCancel(end: () => void): () => void {
    this.#onCancel.add(end);
    return () => void this.#onCancel.delete(end);
  }

  close(): void {
    this.#release?.();
    this.output.close();
  }
}
