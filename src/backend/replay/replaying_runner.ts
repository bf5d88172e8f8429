import type {
  BranchOptions,
  BranchRunner,
  CommandRequest,
  CommandRunner,
  Exit,
  Interruption,
} from '../command_runner.ts';

/** What a runner needs of the records of its run. */
export type Replay = Readonly<{
  /** The recorded end of a command; undefined if the command is to run. */
  recorded: (number: number) => Promise<Exit> | undefined;
  isOver: () => boolean;
  /** Whether a recorded signal was the second of the run. */
  isForced: () => boolean;
}>;

/** Runs commands, but for those whose end is recorded. */
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

  /** A branch with records was not cancelled before their end. */
  get isCancelled(): boolean {
    return this.#replay.isOver() && this.#port.isCancelled;
  }

  ready(): Promise<void> {
    return this.#port.ready();
  }

  async run(request: CommandRequest): Promise<Exit> {
    return (await this.#replay.recorded(request.number)) ?? this.#port.run(request);
  }

  /** A wait before a recorded attempt is over. */
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
