import type { BranchRunner, CommandRunner } from '../../../src/backend/command_runner.ts';

/** A runner whose branches behave like the runner itself. */
export function branching(runner: Omit<CommandRunner, 'fork' | 'isCancelled'>): CommandRunner {
  return new Branch(runner);
}

class Branch implements BranchRunner {
  readonly hasOutput = false;
  readonly #runner: Omit<CommandRunner, 'fork' | 'isCancelled'>;
  readonly #parent: Branch | undefined;
  #isCancelled = false;

  constructor(runner: Omit<CommandRunner, 'fork' | 'isCancelled'>, parent?: Branch) {
    this.#runner = runner;
    this.#parent = parent;
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

  run(...[request]: Parameters<CommandRunner['run']>): ReturnType<CommandRunner['run']> {
    return this.#runner.run(request);
  }

  wait(milliseconds: number): Promise<void> {
    return this.#runner.wait(milliseconds);
  }

  fork(): BranchRunner {
    return new Branch(this.#runner, this);
  }

  cancel(): void {
    this.#isCancelled = true;
  }

  close(): void {}
}
