import { hasFailed, LONGEST_WAIT } from '../../../src/backend/command_runner.ts';
import type {
  BranchRunner,
  CommandRequest,
  CommandRunner,
  Exit,
  OnCancel,
} from '../../../src/backend/command_runner.ts';

/**
 * A runner whose branches behave like the runner itself. A command in the background that succeeds is ready, and runs until
 * it is stopped.
 */
export function branching(runner: Omit<CommandRunner, 'fork' | 'isCancelled'>): CommandRunner {
  return new Branch(runner);
}

class Branch implements BranchRunner {
  readonly hasOutput = false;
  readonly #runner: Omit<CommandRunner, 'fork' | 'isCancelled'>;
  readonly #parent: Branch | undefined;
  readonly #cancelled: Promise<void>;
  #cancel: () => void = () => undefined;
  #isCancelled = false;

  constructor(runner: Omit<CommandRunner, 'fork' | 'isCancelled'>, parent?: Branch) {
    this.#runner = runner;
    this.#parent = parent;
    this.#cancelled = new Promise((resolve) => (this.#cancel = resolve));
  }

  get interruption(): CommandRunner['interruption'] {
    return this.#runner.interruption;
  }

  get isCancelled(): boolean {
    return this.#isCancelled || this.#parent?.isCancelled === true;
  }

  ready(): Promise<void> {
    return this.#runner.ready();
  }

  async run(request: CommandRequest): Promise<Exit> {
    const exit = await this.#runner.run(request);
    if (request.background === undefined) return exit;
    if (hasFailed(exit)) {
      request.background.onEnd();
      return exit;
    }
    request.background.onReady(0);
    await this.#cancelled;
    return exit;
  }

  wait(milliseconds: number, onCancel?: OnCancel): Promise<void> {
    if (milliseconds === LONGEST_WAIT && onCancel !== undefined)
      return new Promise((resolve) => void onCancel(resolve));
    return this.#runner.wait(milliseconds);
  }

  fork(): BranchRunner {
    return new Branch(this.#runner, this);
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#cancel();
  }

  close(): void {}
}
