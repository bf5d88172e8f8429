import type { Pool } from 'pg';
import type { Printer } from '../../../../src/driver/remote/engine.ts';
import { CLIENT_SIGNALS, SIGNALS, signalId, versionOf, WORKFLOWS } from '../store/names.ts';
import { engineClient } from '../store/run_rows.ts';

/** A second signal within this many milliseconds of the first counts as the first. */
const REPEAT_WINDOW = 300;

/** The run to signal, its database, and the number of the plan's format. */
export type SignalTarget = Readonly<{ pool: Pool; url: string; id: string; format: number }>;

/** Stores a signal for a run. The run's worker delivers it. */
export async function sendSignal(
  { pool, url, id, format }: SignalTarget,
  signal: NodeJS.Signals,
  isSecond: boolean,
): Promise<void> {
  const client = await engineClient(url, pool);
  const workflowID = signalId(id, signal, isSecond);
  await client.enqueue({
    workflowName: WORKFLOWS.signal,
    queueName: SIGNALS,
    workflowID,
    appVersion: versionOf(format),
  });
}

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
