import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Followed, Printer } from '../../../../src/internal.ts';
import { createPollingPool, isConnectionProblem } from '../database/connection.ts';
import { Outage } from '../database/outage.ts';
import { cancelQueued } from '../store/cancel_queued.ts';
import { phaseOf } from '../store/phase.ts';
import { endOf, readLog } from '../store/run_rows.ts';
import { describeWait, type WaitingRun } from '../store/workers.ts';
import { CLIENT_SIGNALS, sendSignal, type SignalTarget } from '../store/signals.ts';

/** A second signal within this many milliseconds of the first counts as the first. */
const REPEAT_WINDOW = 300;

/** Forwards the client's signals to the run that it follows. The third signal makes the client leave. */
class ClientSignals {
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

/** The polling interval, in milliseconds. */
const INTERVAL = 150;

/** The retry interval during an outage, in milliseconds. */
const RETRY = 500;

/** The exit code of a client that leaves while the run continues (EX_TEMPFAIL of sysexits.h). */
const TEMPORARY_FAILURE = 75;

/** The exit code for a run that workers have given up on. */
const BROKEN = 1;

/** The run to follow. */
export type FollowedRun = WaitingRun & Readonly<{ url: string; format: number; workflow: string }>;

/**
 * Times in seconds: that in the queue after which a message explains the wait, and the length of an outage after which
 * the client leaves.
 */
export type FollowSettings = Readonly<{ quiet: number; patience: number }>;

/** Follows one run by polling its status and its log. */
export class Follower {
  readonly #pool: Pool;
  readonly #run: FollowedRun;
  readonly #printer: Printer;
  readonly #settings: FollowSettings;
  readonly #outage: Outage;
  readonly #began = Date.now();
  #offset = 0;
  #hasExplained = false;
  #left: NodeJS.Signals | undefined;

  constructor(run: FollowedRun, printer: Printer, settings: FollowSettings) {
    this.#pool = createPollingPool(run.url, 'workflow-plan client');
    this.#run = run;
    this.#printer = printer;
    this.#settings = settings;
    this.#outage = new Outage(printer.say, Infinity);
  }

  /**
   * Prints the run's output until the run ends or the client leaves. `message` is printed first, once signals reach the
   * run.
   */
  async follow(message?: string): Promise<Followed> {
    const { url, id, format } = this.#run;
    const target = { pool: this.#pool, url, id, format };
    const signals = new ClientSignals(target, this.#printer, (signal) => (this.#left = signal));
    try {
      if (message !== undefined) this.#printer.say(message);
      for (;;) {
        const end = await this.#poll(signals.signal);
        if (end !== undefined) return end;
        if (this.#left !== undefined) return { kind: 'ended', end: { document: '', code: 1, interrupted: this.#left } };
        if (this.#isOutageTooLong()) {
          this.#printer.say(`to see how it ended: cli runs wait ${id}`);
          return { kind: 'left', code: TEMPORARY_FAILURE };
        }
        await delay(this.#outage.since === undefined ? INTERVAL : RETRY);
      }
    } finally {
      signals.close();
      void this.#pool.end().catch(() => undefined);
    }
  }

  async #poll(signal: NodeJS.Signals | undefined): Promise<Followed | undefined> {
    const { id, url } = this.#run;
    const began = Date.now();
    try {
      const { phase, row } = await phaseOf(this.#pool, id);
      // A run's output is stored before its end, so a phase read first cannot miss output.
      for await (const piece of readLog(this.#pool, id, this.#offset)) {
        this.#printer.log(piece);
        this.#offset += 1;
      }
      const isCancelled =
        phase === 'cancelled' || (phase === 'queued' && signal !== undefined && (await cancelQueued(this.#pool, id)));
      const end = phase === 'ended' ? await endOf(this.#pool, url, row) : undefined;
      if (phase === 'queued' && !isCancelled) await this.#explainWait();
      this.#outage.succeeded();
      if (isCancelled) {
        return { kind: 'unstarted', workflow: this.#run.workflow, interrupted: signal ?? 'SIGINT' };
      }
      if (end === undefined) return undefined;
      if (typeof end !== 'string') return { kind: 'ended', end };
      this.#printer.say(`run ${id} is broken: ${end}`);
      return { kind: 'left', code: BROKEN };
    } catch (error) {
      if (!isConnectionProblem(error)) throw error;
      this.#outage.failed('the connection to the database is lost; the run continues, trying again', began);
      return undefined;
    }
  }

  async #explainWait(): Promise<void> {
    if (this.#hasExplained || Date.now() - this.#began < this.#settings.quiet * 1000) return;
    this.#hasExplained = true;
    const reason = await describeWait(this.#pool, this.#run);
    this.#printer.say(`run ${this.#run.id} still waits: ${reason}`);
  }

  #isOutageTooLong(): boolean {
    const { since } = this.#outage;
    return since !== undefined && Date.now() - since >= this.#settings.patience * 1000;
  }
}
