import type { Printer } from '../../../../src/internal.ts';
import { CLIENT_SIGNALS, sendSignal, type SignalTarget } from '../store/signals.ts';

/** A second signal within this many milliseconds of the first counts as the first. */
const REPEAT_WINDOW = 300;

/** Forwards the client's signals to the run that it follows. The third signal makes the client leave. */
export class ClientSignals {
  readonly #target: SignalTarget;
  readonly #printer: Printer;
  readonly #onLeave: (signal: NodeJS.Signals) => void;
  #count = 0;
  #last = 0;
  #sent: Promise<void> = Promise.resolve();

  constructor(target: SignalTarget, printer: Printer, onLeave: (signal: NodeJS.Signals) => void) {
    this.#target = target;
    this.#printer = printer;
    this.#onLeave = onLeave;
    for (const signal of CLIENT_SIGNALS) process.on(signal, this.#onSignal);
  }

  /** The first signal received, if any. */
  signal: NodeJS.Signals | undefined;

  close(): void {
    for (const signal of CLIENT_SIGNALS) process.removeListener(signal, this.#onSignal);
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (this.#count > 0 && now - this.#last <= REPEAT_WINDOW) return;
    this.#count += 1;
    this.#last = now;
    this.signal ??= signal;
    if (this.#count > 2) {
      this.#onLeave(signal);
      return;
    }
    const isSecond = this.#count === 2;
    if (!isSecond) this.#printer.say(`asking run ${this.#target.id} to stop; again to stop it at once`);
    this.#sent = this.#sent.then(() => this.#send(signal, isSecond));
  };

  /** Retries until the database has stored the signal. */
  async #send(signal: NodeJS.Signals, isSecond: boolean): Promise<void> {
    for (;;) {
      try {
        await sendSignal(this.#target, signal, isSecond);
        return;
      } catch {
        await new Promise((resolve) => void setTimeout(resolve, 500));
      }
    }
  }
}
