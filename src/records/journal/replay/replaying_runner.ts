import type {
  BranchOptions,
  BranchRunner,
  CommandRequest,
  CommandRunner,
  Exit,
  Interruption,
} from '../../../backend/command_runner.ts';

/** The records of a run, for its runner. */
export type Replay = Readonly<{
  /** The recorded exit of a command; undefined if the command must be executed. */
  recorded: (number: number) => Promise<Exit> | undefined;
  isOver: () => boolean;
  /** Whether the run has received a second signal. */
  isForced: () => boolean;
}>;

/** Replays recorded commands and passes the others to another runner. */
export class ReplayingRunner implements CommandRunner {
  readonly #port: CommandRunner;
  readonly #replay: Replay;

  constructor(port: CommandRunner, replay: Replay) {
    this.#port = port;
    this.#replay = replay;
  }

  get interruption(): Interruption | undefined {
    const { interruption } = this.#port;
    return interruption !== undefined && this.#replay.isForced() ? { ...interruption, forced: true } : interruption;
  }

  /** False until the replay is over: a branch with records was not cancelled before them. */
  get isCancelled(): boolean {
    return this.#replay.isOver() && this.#port.isCancelled;
  }

  ready(): Promise<void> {
    return this.#port.ready();
  }

  async run(request: CommandRequest): Promise<Exit> {
    return (await this.#replay.recorded(request.number)) ?? this.#port.run(request);
  }

  /** Skips the waits before recorded attempts. */
  async wait(milliseconds: number): Promise<void> {
    if (this.#replay.isOver()) await this.#port.wait(milliseconds);
  }

  fork(options: BranchOptions): BranchRunner {
    return new ReplayingBranch(this.#port.fork(options), this.#replay);
  }
}

class ReplayingBranch extends ReplayingRunner implements BranchRunner {
  readonly #branch: BranchRunner;

  constructor(branch: BranchRunner, replay: Replay) {
    super(branch, replay);
    this.#branch = branch;
  }

  get hasOutput(): boolean {
    return this.#branch.hasOutput;
  }

  cancel(): void {
    this.#branch.cancel();
  }

  close(): void {
    this.#branch.close();
  }
}
