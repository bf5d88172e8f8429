import type { RunRecord } from '../../../src/backend/replay/run_record.ts';
import type { RemoteRun, RunEnd } from '../../../src/driver/remote/engine.ts';
import { LogBuffer } from './log_buffer.ts';
import { RunProcess, type ProcessSettings, type Told } from './run_process.ts';

/** The next thing that a run has done, as it is stored. */
export type NextRecord = Readonly<{ kind: 'record'; record: RunRecord } | { kind: 'end'; end: RunEnd }>;

/** A run whose process died this many times is given up. */
const MAX_DEATHS = 3;

/** The run, how it was before this worker has taken it, and how a piece of its output is stored. */
export type SessionSettings = ProcessSettings &
  Readonly<{
    id: string;
    run: RemoteRun;
    worker: string;
    takeovers: number;
    writeLog: (piece: Buffer) => Promise<void>;
  }>;

/** One run on this worker: its process, its output, and the signals for it. */
export class RunSession {
  readonly #settings: SessionSettings;
  readonly #log: LogBuffer;
  readonly #signals: NodeJS.Signals[] = [];
  #process: RunProcess | undefined;
  #unstored: number | undefined;
  #deaths = 0;
  #isAbandoned = false;
  #wake: () => void = () => undefined;

  constructor(settings: SessionSettings) {
    this.#settings = settings;
    this.#log = new LogBuffer(() => this.#wake());
  }

  /**
   * The next record, with all output before it stored. The one before is durable when this is called; `records` has all
   * of them.
   */
  async next(records: readonly RunRecord[]): Promise<NextRecord> {
    const process = this.#process ?? this.#start(records);
    if (this.#unstored !== undefined) process.stored(this.#unstored);
    this.#unstored = undefined;
    for (;;) {
      const change = new Promise<void>((resolve) => (this.#wake = resolve));
      const told = this.#process?.next;
      if (told !== undefined && this.#log.isEmpty) await this.#log.settle();
      if (!this.#log.isEmpty) await this.#settings.writeLog(this.#log.take());
      else if (told === undefined) await change;
      else {
        const next = this.#take(told, records);
        if (next !== undefined) return next;
      }
    }
  }

  /** Delivers a signal. A process that is started later gets it too. */
  signal(signal: NodeJS.Signals): void {
    this.#signals.push(signal);
    this.#process?.signal(signal);
  }

  get receivedSignals(): number {
    return this.#signals.length;
  }

  /** Ends the processes of the run, which another worker has or will have. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#process?.abandon();
    this.#wake();
  }

  #take(told: Told, records: readonly RunRecord[]): NextRecord | undefined {
    this.#process?.take();
    if (this.#isAbandoned) throw new Error('the run has another worker');
    switch (told.kind) {
      case 'record':
        this.#unstored = told.number;
        return { kind: 'record', record: told.record };
      case 'end':
        return { kind: 'end', end: told.end };
      case 'gone':
        this.#deaths += 1;
        if (this.#deaths >= MAX_DEATHS) throw new Error(`its process died ${MAX_DEATHS} times: ${told.how}`);
        this.#log.say(`the process of this run died (${told.how}); going on after ${records.length} recorded results`);
        this.#start(records);
        return undefined;
      default:
        return told satisfies never;
    }
  }

  #start(records: readonly RunRecord[]): RunProcess {
    const { id, run, worker, takeovers } = this.#settings;
    if (takeovers > 0 && this.#deaths === 0) {
      const results = records.filter(({ kind }) => kind === 'op').length;
      this.#log.say(`the worker of this run was lost; going on after ${results} recorded results on ${worker}`);
    }
    this.#process = new RunProcess(this.#settings, this.#log, () => this.#wake());
    this.#process.begin(id, run, records);
    for (const signal of this.#signals) this.#process.signal(signal);
    return this.#process;
  }
}
