import { openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { markerName } from '../../backend/process/base_environment.ts';
import { ReplayingJournal } from '../../backend/replay/replaying_journal.ts';
import type { FromRunProcess, ToRunProcess } from '../../driver/remote/engine.ts';
import { checkEnvironment } from '../../driver/remote/check_environment.ts';
import { optionsOf } from '../../driver/remote/remote_run.ts';
import { endUnattended } from '../../driver/remote/unattended.ts';
import { EXIT, refuse, printStderr, type Io } from '../../output/io.ts';
import { carryOut } from '../carry_out.ts';

type RunMessage = ToRunProcess & { kind: 'run' };

/** Signals that are less than this many milliseconds apart count as one. */
const SIGNAL_GAP = 320;

/**
 * `workflow process`: executes one run for a worker, and exchanges messages with it over IPC. The worker gets the run's
 * exit code in a message, not from the process.
 */
export async function runProcess(io: Io): Promise<number> {
  if (process.send === undefined) return refuse(io, ["'workflow process' is started by workers only"]);
  const channel = new Channel();
  const message = await channel.run();
  let interrupted: NodeJS.Signals | null = null;
  const die = (signal: NodeJS.Signals): Promise<number> => {
    interrupted = signal;
    return Promise.resolve(EXIT.no);
  };
  if (message.wasLost) await endUnattended(io.env, ({ run }) => run === message.id);
  const code = await executeInPlace({ ...io, die }, message, channel);
  await channel.send(code === 'refused' ? { kind: code } : { kind: 'end', code, interrupted });
  return EXIT.ok;
}

/** Executes a run in its checkout, or in the directory of the worker. A run that was not successful keeps its checkout. */
async function executeInPlace(io: Io, message: RunMessage, channel: Channel): Promise<number | 'refused'> {
  const { id, run } = message;
  const { commit, directory = '' } = run;
  if (commit === undefined) return executeRun(io, message, channel);
  const marker = markerName(process.pid, process.hrtime.bigint());
  const { enterCheckout } = await import('../../driver/remote/checkout.ts');
  const checkout = await enterCheckout(io, { commit, directory, run: id, marker });
  if (!checkout.ok) return refuse(io, [checkout.problem]);
  const code = await executeRun(io, message, channel);
  const problem = code === EXIT.ok || code === 'refused' ? await checkout.remove() : undefined;
  if (problem !== undefined) printStderr(io, [problem], 'cli: warning: ');
  return code;
}

/** Delivers signals to the handlers of this process, as the system would. */
class Interrupter {
  #last = -Infinity;
  #queue: Promise<void> = Promise.resolve();

  /** Delivers a signal at once. */
  readonly deliver = (signal: NodeJS.Signals): void => {
    process.emit(signal, signal);
    // The handlers of the run measure the time between two signals themselves.
    this.#last = performance.now();
  };

  /** Delivers a signal late enough to count as another one. Stored signals arrive together. */
  readonly deliverNext = (signal: NodeJS.Signals): void => {
    this.#queue = this.#deliverAfter(this.#queue, signal);
  };

  async #deliverAfter(earlier: Promise<void>, signal: NodeJS.Signals): Promise<void> {
    await earlier;
    const wait = this.#last + SIGNAL_GAP - performance.now();
    if (wait > 0) await delay(wait);
    this.deliver(signal);
  }
}

async function executeRun(
  io: Io,
  { id, run, earlier, records, ownPlans }: RunMessage,
  channel: Channel,
): Promise<number | 'refused'> {
  const problem = ownPlans ? await (await import('../../driver/remote/own_plan.ts')).checkOwnPlan(io, run) : undefined;
  if (problem !== undefined) {
    printStderr(io, [problem], 'cli: ');
    return 'refused';
  }
  const options = optionsOf(run);
  const prepared = await checkEnvironment(io, run, options);
  if (prepared === undefined) return EXIT.cannotStart;
  const { plan } = prepared;
  const interrupter = new Interrupter();
  const journal = new ReplayingJournal({
    plan,
    earlier,
    records,
    send: (record) => channel.store(record),
    interrupt: interrupter.deliver,
    now: Date.now,
  });
  let isRepeated = records.length > 0;
  const nowhere = isRepeated ? openSync('/dev/null', 'w') : io.stderr;
  const quiet: Io = {
    ...io,
    get stderr() {
      return isRepeated ? nowhere : io.stderr;
    },
  };
  channel.onLost = () => {
    journal.close();
    interrupter.deliver('SIGTERM');
    interrupter.deliverNext('SIGTERM');
  };
  return carryOut(io, prepared, options, () => ({
    run: null,
    session: 1,
    journal,
    finish: () => (isRepeated = false),
    isComplete: () => true,
    replay: {
      io: quiet,
      goOn: `cli runs resume ${id}`,
      onEvent: (event) => (isRepeated = journal.isRepeated(event)),
      runner: (port) => {
        const runner = journal.runner(port);
        void journal.replayed().then(() => channel.listen(interrupter.deliverNext, journal.receivedSignals));
        return runner;
      },
    },
  }));
}

function isForRunProcess(message: unknown): message is ToRunProcess {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

/** The IPC channel between the process of a run and its worker. */
class Channel {
  readonly #stored = new Map<number, () => void>();
  readonly #signals: NodeJS.Signals[] = [];
  #sent = 0;
  #onSignal: ((signal: NodeJS.Signals) => void) | undefined;
  #onRun: ((message: RunMessage) => void) | undefined;
  #isLost = false;
  /** Called when the worker has closed the channel. */
  onLost: () => void = () => process.exit(EXIT.no);

  constructor() {
    process.on('message', (message: unknown) => {
      if (isForRunProcess(message)) this.#receive(message);
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

  /** Sends a record; settles once the worker has stored it. */
  async store(record: (FromRunProcess & { kind: 'record' })['record']): Promise<void> {
    this.#sent += 1;
    const number = this.#sent;
    const stored = new Promise<void>((resolve) => this.#stored.set(number, resolve));
    await this.send({ kind: 'record', number, record });
    if (!this.#isLost) await stored;
  }

  /** Starts to deliver signals, except for the first `received` ones. */
  listen(deliver: (signal: NodeJS.Signals) => void, received: number): void {
    let ignored = received;
    this.#onSignal = (signal) => {
      if (ignored > 0) ignored -= 1;
      else deliver(signal);
    };
    for (const signal of this.#signals) this.#onSignal(signal);
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
        if (this.#onSignal === undefined) this.#signals.push(message.signal);
        else this.#onSignal(message.signal);
        return;
      default:
        return message satisfies never;
    }
  }
}
