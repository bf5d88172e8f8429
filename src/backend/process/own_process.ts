import { spawn, type ChildProcess } from 'node:child_process';
import { SIGNALS } from '../command_runner.ts';

/** The program of this process and its first arguments. A standalone executable contains its script. */
export function ownCommand(): readonly [string, ...string[]] {
  const [, script] = process.argv;
  const isApart = globalThis.Bun === undefined && script !== undefined;
  return isApart ? [process.execPath, ...process.execArgv, script] : [process.execPath];
}

/** Runs this tool in child processes, one after the other, and handles the signals that end both. */
export class OwnProcess {
  #child: ChildProcess | undefined;
  #signal: NodeJS.Signals | undefined;
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#signal ??= signal;
    // A terminal sends the signal to both. The child counts two signals in quick succession as one.
    if (this.#child === undefined) this.#onStop(signal);
    else this.#child.kill(signal);
  };
  readonly #onStop: (signal: NodeJS.Signals) => void;

  /** `onStop` is called with the signal that ended this process, once no child is running. */
  constructor(onStop: (signal: NodeJS.Signals) => void) {
    this.#onStop = onStop;
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  /** Runs the tool with some arguments and variables, without standard input. Returns its id when it has ended. */
  async run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number | undefined> {
    const [file, ...first] = ownCommand();
    const child = spawn(file, [...first, ...args], { stdio: ['ignore', 1, 2], env });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => resolve());
    });
    this.#child = undefined;
    if (this.#signal !== undefined) this.#onStop(this.#signal);
    return child.pid;
  }

  /** Ends the running child, like SIGTERM from outside. */
  end(): void {
    this.#child?.kill('SIGTERM');
  }

  /** Restores the default handling of signals. */
  close(): void {
    for (const signal of SIGNALS) process.removeListener(signal, this.#onSignal);
  }
}
