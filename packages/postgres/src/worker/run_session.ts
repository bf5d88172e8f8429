import { attemptsOf, isKept, type RemoteRun } from '../../../../src/internal.ts';
import { sessionsOf, type NextRecords, type Resumes, type StoredRecords } from '../store/sessions.ts';
import { LogBuffer } from './log_buffer.ts';
import { RunProcess, type ProcessEvent, type ProcessSettings } from './run_process.ts';

/** A run whose process has died this many times becomes broken. */
const MAX_DEATHS = 3;

/** `takeovers` are those since the run was last resumed. `writeLog` stores a piece of output. */
export type SessionSettings = ProcessSettings &
  Readonly<{
    id: string;
    run: RemoteRun;
    planFormat: number;
    worker: string;
    takeovers: number;
    resumes: Resumes;
    ownPlans: boolean;
    maxOutput: number;
    writeLog: (piece: Buffer) => Promise<void>;
  }>;

/** One run on this worker: its process, its output and its signals. */
export class RunSession {
  readonly #settings: SessionSettings;
  readonly #log: LogBuffer;
  readonly #signals: NodeJS.Signals[] = [];
  #process: RunProcess | undefined;
  #unstored: number | undefined;
  #deaths = 0;
  #announced: ProcessEvent | undefined;
  #isAbandoned = false;
  #isGivenBack = false;
  #wake: () => void = () => undefined;

  constructor(settings: SessionSettings) {
    this.#settings = settings;
    this.#log = new LogBuffer(settings.maxOutput, () => this.#wake());
  }

  /** The next records, once all output before them is stored. `stored` holds all records so far. */
  async next(stored: readonly StoredRecords[]): Promise<NextRecords> {
    if (this.#process === undefined) this.#start(stored);
    for (;;) {
      const change = new Promise<void>((resolve) => (this.#wake = resolve));
      const event = this.#process?.next;
      if (event !== undefined && this.#log.isEmpty) await this.#log.settle();
      if (this.#isGivenBack) return new Promise(() => undefined);
      if (event !== undefined && this.#log.isEmpty) this.#announce(event, stored);
      if (!this.#log.isEmpty) await this.#settings.writeLog(this.#log.take());
      else if (event === undefined) await change;
      else {
        const next = this.#take(event, stored);
        if (next !== undefined) return next;
      }
    }
  }

  /** Acknowledges the records that `next` has returned. They are durable: the run goes on. */
  acknowledge(): void {
    if (this.#unstored !== undefined) this.#process?.stored(this.#unstored);
    this.#unstored = undefined;
  }

  /** Delivers a signal, also to processes that this session starts later. */
  signal(signal: NodeJS.Signals): void {
    this.#signals.push(signal);
    this.#process?.signal(signal);
  }

  get receivedSignals(): number {
    return this.#signals.length;
  }

  /** Ends the run's processes, because another worker has the run. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#process?.abandon();
    this.#wake();
  }

  /**
   * Ends the run's processes for another worker to take the run, and waits for them. Nothing is stored any more: `next`
   * never settles.
   */
  async giveBack(): Promise<void> {
    this.#isGivenBack = true;
    this.#process?.abandon();
    await this.#process?.exited;
  }

  /** Completes the output that belongs before an event. */
  #announce(event: ProcessEvent, stored: readonly StoredRecords[]): void {
    if (this.#announced === event) return;
    this.#announced = event;
    if (event.kind === 'records') {
      const failed = event.records.flatMap((each) => (each.kind === 'end' && each.failed ? each.n : []));
      this.#log.onRecords(failed.length > 0, failed.length === 0 ? [] : this.#membersOf(failed, stored, event.records));
    } else if (event.kind === 'gone') this.#log.onRecords(true, []);
    else this.#log.onEnd();
  }

  /** The names of the members and of the steps in the background whose output shows failed commands. */
  #membersOf(failed: readonly number[], stored: readonly StoredRecords[], records: StoredRecords): readonly string[] {
    const { resumes, run } = this.#settings;
    // The start of a step in the background is stored before its end.
    const all = [...(sessionsOf(stored, resumes).at(-1) ?? []), ...records];
    const ops = all.flatMap((each) => (each.kind === 'start' && failed.includes(each.n) ? each.op : []));
    return run.plan.ops.flatMap((op, index) => {
      if (op.kind === 'run') return op.options.background === 'grouped' && ops.includes(index) ? op.name : [];
      if (op.kind !== 'parallel' || op.group.output !== 'grouped') return [];
      const branches = op.branches.filter(({ start, end }) => ops.some((each) => start.op <= each && each < end.op));
      return branches.map(({ name }) => name);
    });
  }

  #take(event: ProcessEvent, stored: readonly StoredRecords[]): NextRecords | undefined {
    this.#process?.take();
    if (this.#isAbandoned) throw new Error('the run has another worker');
    switch (event.kind) {
      case 'records':
        this.#unstored = event.number;
        return { kind: 'records', records: event.records };
      case 'end':
        return { kind: 'end', end: event.end };
      case 'refused':
        throw new Error('its worker does not accept the plan');
      case 'unreadable':
        throw new Error('its process sent a message that the worker cannot read: does it have another version?');
      case 'gone':
        this.#deaths += 1;
        if (this.#deaths >= MAX_DEATHS) throw new Error(`its process died ${MAX_DEATHS} times: ${event.how}`);
        this.#log.say(`the process of this run died (${event.how}); going on after ${stored.length} recorded results`);
        this.#start(stored);
        return undefined;
      default:
        return event satisfies never;
    }
  }

  #start(stored: readonly StoredRecords[]): RunProcess {
    const { id, run, planFormat, worker, takeovers, resumes, ownPlans } = this.#settings;
    const why = takeovers > 0 ? 'the worker of this run was lost' : 'this run was resumed';
    const sessions = sessionsOf(stored, resumes);
    const [earlier, current] = [sessions.slice(0, -1), sessions.at(-1) ?? []];
    if (this.#deaths === 0 && (takeovers > 0 || resumes.fence > 0)) {
      const results = countResults(earlier, current);
      this.#log.say(`${why}; going on after ${results} recorded results on ${worker}`);
    }
    this.#process = new RunProcess(this.#settings, this.#log, () => this.#wake());
    const wasLost = takeovers + this.#deaths > 0;
    this.#process.begin({ id, run, planFormat, earlier, records: current, wasLost, ownPlans });
    for (const signal of this.#signals) this.#process.signal(signal);
    return this.#process;
  }
}

/** The number of results with which a session begins. Of earlier sessions, failures do not count. */
function countResults(earlier: readonly StoredRecords[], current: StoredRecords): number {
  const kept = earlier.flatMap((records) => attemptsOf(records).filter(isKept));
  return kept.length + current.filter(({ kind }) => kind === 'end').length;
}
