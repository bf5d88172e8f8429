import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { SIGNALS } from '../../backend/command_runner.ts';
import { PLAN_FORMAT, type Plan } from '../../ir/plan.ts';
import { SessionRecord } from '../../records/journal/record.ts';
import { isRemoteName } from '../../records/journal/run_id.ts';
import type { Place } from './plan_places.ts';

/*
 * The messages between a worker and the process of a run, which may be of another version if the tool was updated while
 * the worker was running. Unlisted fields are ignored.
 */

/** The plan and its places have the format that the engine has matched. */
const Run = v.object({
  plan: v.custom<Plan>((value) => typeof value === 'object' && value !== null && 'ops' in value),
  path: v.string(),
  places: v.custom<readonly Place[]>(Array.isArray),
  switches: v.pipe(v.array(v.string()), v.readonly()),
  format: v.string(),
  commit: v.exactOptional(v.string()),
  directory: v.exactOptional(v.string()),
});

const Records = v.pipe(v.array(SessionRecord), v.readonly());

/**
 * A message to the process of a run. The first message is the run with its records. `planFormat` is the version of the
 * plan format that the worker reads. `wasLost`: an earlier process of the run was killed, perhaps on this machine.
 * `ownPlans`: only plans of the worker's own file are accepted.
 */
const ToRunProcess = v.variant('kind', [
  v.object({
    kind: v.literal('run'),
    id: v.pipe(v.string(), v.check(isRemoteName)),
    run: Run,
    // The process would ignore what a later format has in addition.
    planFormat: v.exactOptional(v.pipe(v.number(), v.maxValue(PLAN_FORMAT))),
    earlier: v.pipe(v.array(Records), v.readonly()),
    records: Records,
    wasLost: v.boolean(),
    ownPlans: v.boolean(),
  }),
  v.object({ kind: v.literal('stored'), number: v.number() }),
  v.object({ kind: v.literal('signal'), signal: v.picklist(SIGNALS) }),
]);

/**
 * A message from the process of a run. The process writes its document to standard output. `records` are stored
 * together. `refused`: the plan is not accepted, as its output says.
 */
const FromRunProcess = v.variant('kind', [
  v.object({ kind: v.literal('ready') }),
  v.object({ kind: v.literal('records'), number: v.number(), records: Records }),
  v.object({ kind: v.literal('end'), code: v.number(), interrupted: v.nullable(v.picklist(SIGNALS)) }),
  v.object({ kind: v.literal('refused') }),
]);

export type ToRunProcess = v.InferOutput<typeof ToRunProcess>;
export type RunMessage = ToRunProcess & { kind: 'run' };
export type FromRunProcess = v.InferOutput<typeof FromRunProcess>;

/** A message from the process of a run; undefined if it cannot be read. */
export function messageFromRun(message: unknown): FromRunProcess | undefined {
  const { success, output } = v.safeParse(FromRunProcess, message);
  return success ? output : undefined;
}

/** Signals that are less than this many milliseconds apart count as one. */
const SIGNAL_GAP = 320;

/** Delivers signals to the handlers of this process, as the system would. */
export class Interrupter {
  #last = -Infinity;
  #queue: Promise<void> = Promise.resolve();

  /** Delivers a signal at once, if the run has handlers. Returns whether it has. */
  readonly deliver = (signal: NodeJS.Signals): boolean => {
    if (process.listenerCount(signal) === 0) return false;
    process.emit(signal, signal);
    // The handlers of the run measure the time between two signals themselves.
    this.#last = performance.now();
    return true;
  };

  /** Delivers a signal late enough to count as another one. Stored signals arrive together. */
  readonly deliverNext = (signal: NodeJS.Signals): true => {
    this.#queue = this.#deliverAfter(this.#queue, signal);
    return true;
  };

  async #deliverAfter(earlier: Promise<void>, signal: NodeJS.Signals): Promise<void> {
    await earlier;
    const wait = this.#last + SIGNAL_GAP - performance.now();
    if (wait > 0) await delay(wait);
    this.deliver(signal);
  }
}

/** The process's end of the IPC channel between a run and its worker. */
export class Channel {
  readonly #stored = new Map<number, () => void>();
  /** The signals that have not been delivered yet. */
  #signals: NodeJS.Signals[] = [];
  #deliver: (signal: NodeJS.Signals) => boolean = () => false;
  #sent = 0;
  #onRun: ((message: RunMessage) => void) | undefined;
  #isLost = false;
  /** Called when the worker has closed the channel. */
  onLost: () => void;

  /** `onUnreadable` receives the problem with a message. */
  constructor(onLost: () => void, onUnreadable: (problem: string) => void) {
    this.onLost = onLost;
    process.on('message', (message: unknown) => {
      const { success, output } = v.safeParse(ToRunProcess, message);
      if (success) this.#receive(output);
      else {
        onUnreadable('the worker sent a message that cannot be read: does it have another version?');
        process.disconnect();
      }
    });
    process.on('disconnect', () => {
      this.#isLost = true;
      for (const resolve of this.#stored.values()) resolve();
      this.onLost();
    });
  }

  /** Waits for the run to execute. */
  async run(): Promise<RunMessage> {
    const received = new Promise<RunMessage>((resolve) => (this.#onRun = resolve));
    await this.send({ kind: 'ready' });
    return received;
  }

  /** Sends a message; settles once it has been handed to the system. */
  send(message: FromRunProcess): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isLost || process.send === undefined) resolve();
      else process.send(message, undefined, {}, () => resolve());
    });
  }

  /** Sends records; settles once the worker has stored them. */
  async store(records: RunMessage['records']): Promise<void> {
    this.#sent += 1;
    const number = this.#sent;
    const stored = new Promise<void>((resolve) => this.#stored.set(number, resolve));
    await this.send({ kind: 'records', number, records });
    if (!this.#isLost) await stored;
  }

  /** Delivers pending signals and later ones. `deliver` returns whether a signal is taken. */
  listen(deliver: (signal: NodeJS.Signals) => boolean): void {
    this.#deliver = deliver;
    this.#signals = this.#signals.filter((signal) => !deliver(signal));
  }

  #receive(message: ToRunProcess): void {
    switch (message.kind) {
      case 'run':
        return this.#onRun?.(message);
      case 'stored':
        this.#stored.get(message.number)?.();
        this.#stored.delete(message.number);
        return;
      case 'signal':
        if (!this.#deliver(message.signal)) this.#signals.push(message.signal);
        return;
    }
  }
}
