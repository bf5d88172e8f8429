import { LONGEST_WAIT } from '../../../backend/command_runner.ts';
import type {
  BranchOptions,
  BranchRunner,
  CommandRequest,
  CommandRunner,
  Exit,
  Interruption,
  OnCancel,
} from '../../../backend/command_runner.ts';

/** The records of a run, for its runner. */
export type Replay = Readonly<{
  /** The recorded exit of a command; undefined if the command must be executed. */
  recorded: (number: number) => Promise<Exit> | undefined;
  /** Whether a recorded command in the background was ready. */
  wasReady: (number: number) => boolean;
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

  /** Skips the waits before recorded attempts, which have a limit, but none for an event. */
  async wait(milliseconds: number, onCancel?: OnCancel): Promise<void> {
    if (milliseconds === LONGEST_WAIT || this.#replay.isOver()) await this.#port.wait(milliseconds, onCancel);
  }

  fork(options: BranchOptions): BranchRunner {
    return new ReplayingBranch(this.#port.fork(options), this.#replay);
  }
}

class ReplayingBranch extends ReplayingRunner implements BranchRunner {
  readonly #branch: BranchRunner;
  readonly #records: Replay;
  readonly #cancelled: Promise<void>;
  #cancel: () => void = () => undefined;

  constructor(branch: BranchRunner, replay: Replay) {
    super(branch, replay);
    this.#branch = branch;
    this.#records = replay;
    this.#cancelled = new Promise((resolve) => (this.#cancel = resolve));
  }

  /** A recorded command in the background is ready at once, and lasts until it is stopped, unless it has ended by itself. */
  override async run(request: CommandRequest): Promise<Exit> {
    const { background, number } = request;
    const recorded = background && this.#records.recorded(number);
    if (recorded === undefined) return super.run(request);
    if (this.#records.wasReady(number)) background?.onReady(0);
    const exit = await recorded;
    if (exit.kind === 'exited') await this.#cancelled;
    else background?.onEnd();
    return exit;
  }

  get hasOutput(): boolean {
    return this.#branch.hasOutput;
  }

  cancel(): void {
    this.#cancel();
    this.#branch.cancel();
  }

  close(): void {
    this.#branch.close();
  }
}
