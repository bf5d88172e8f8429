import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { SIGNALS } from '../command_runner.ts';

/** The program that this process runs, and its first arguments. A standalone executable contains its script. */
function ownCommand(): readonly [string, ...string[]] {
  const [, script] = process.argv;
  const isFile = script !== undefined && existsSync(script);
  return isFile ? [process.execPath, ...process.execArgv, script] : [process.execPath];
}

/** This tool in processes of its own, one after the other, and the signals that end both. */
export class OwnProcess {
  #child: ChildProcess | undefined;
  #signal: NodeJS.Signals | undefined;
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#signal ??= signal;
    // A terminal has sent it to both. The tool counts two signals that come together as one.
    if (this.#child === undefined) this.#onStop(signal);
    else this.#child.kill(signal);
  };
  readonly #onStop: (signal: NodeJS.Signals) => void;

  /** `onStop` receives the signal that asked this process to end, once nothing runs any more. */
  constructor(onStop: (signal: NodeJS.Signals) => void) {
    this.#onStop = onStop;
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  /** Runs the tool with some arguments, without standard input; settles when it has ended. */
  async run(args: readonly string[]): Promise<void> {
    const [file, ...first] = ownCommand();
    const child = spawn(file, [...first, ...args], { stdio: ['ignore', 1, 2] });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => resolve());
    });
    this.#child = undefined;
    if (this.#signal !== undefined) this.#onStop(this.#signal);
  }

  /** Asks the running tool to end, as SIGTERM from outside would. */
  end(): void {
    this.#child?.kill('SIGTERM');
  }

  /** Lets signals end this process again. */
  close(): void {
    for (const signal of SIGNALS) process.removeListener(signal, this.#onSignal);
  }
}
