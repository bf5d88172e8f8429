import type { AttemptEnd, KnownOp, RunJournal } from '../../backend/run_journal.ts';
import type { Plan, Variable } from '../../ir/plan.ts';
import type { Session } from './journal.ts';
import type { SessionRecord } from './record.ts';
import { RecordText, type NumberedCommand } from './record_text.ts';

/** `now` returns milliseconds since 1970. `warn` prints a line for the user. */
export type RecorderOptions = Readonly<{
  plan: Plan;
  session: Session;
  /** Asks for the boot of this machine while the first command runs. */
  askBoot?: ((onAnswer: (boot: string) => void) => void) | undefined;
  /** The state of an op after earlier sessions. A new run has none. */
  known: (op: number) => KnownOp | undefined;
  /** The checks that are decided before the first command: these do not hold. */
  decided?: readonly number[];
  now: () => number;
  warn: (message: string) => void;
}>;

/**
 * Records a run in a session of its journal. If the session cannot be written, it is abandoned and the run continues: a
 * deployment must not fail because of its journal. If the session cannot be abandoned either, no further command
 * starts, because resuming would rely on an incomplete record.
 */
export class SessionRecorder implements RunJournal {
  readonly known: RunJournal['known'];
  readonly #options: RecorderOptions;
  readonly #text: RecordText;
  /** The running commands. */
  readonly #inFlight = new Map<number, NumberedCommand>();
  #asksBoot = true;
  #isFinished = false;
  #state: Readonly<{ kind: 'writing' | 'given up' } | { kind: 'stuck'; reason: string }> = { kind: 'writing' };

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.known = options.known;
    this.#text = new RecordText(options.plan);
    const { decided = [], plan } = options;
    // The ids of ops are found in the order of the plan, so the run has a text of its own.
    const before = decided.length === 0 ? undefined : new RecordText(plan);
    if (before !== undefined) this.#append(decided.map((op) => before.decide(op, false)).join(''), 'synced');
  }

  /** Whether the record is complete, so that the run can be resumed. */
  get isComplete(): boolean {
    return this.#state.kind === 'writing';
  }

  recorded(): undefined {}

  reach(): undefined {}

  start(n: number, op: number, attempt: number): string | undefined {
    const command = { n, op, at: this.#options.now() };
    this.#inFlight.set(n, command);
    if (this.#state.kind === 'writing') this.#append(this.#text.start(command, attempt), 'synced');
    if (this.#asksBoot) this.#askBoot();
    return this.#state.kind === 'stuck' ? this.#state.reason : undefined;
  }

  ready(n: number, milliseconds: number): void {
    if (this.#state.kind === 'writing') this.#append(this.#text.ready(n, milliseconds), 'written');
  }

  end(n: number, end: AttemptEnd): undefined {
    const command = this.#inFlight.get(n);
    if (command === undefined) throw new Error(`command ${n} has not started`);
    this.#inFlight.delete(n);
    this.#append(this.#text.end(command, this.#options.now(), end), 'written');
  }

  decide(index: number, holds: boolean, outputs?: readonly Variable[]): undefined {
    if (this.#state.kind === 'writing') this.#append(this.#text.decide(index, holds, outputs), 'written');
  }

  ask(index: number, question: string): void {
    if (this.#state.kind === 'writing') this.#append(this.#text.ask(index, question), 'written');
  }

  decline(index: number, asked: boolean): void {
    if (this.#state.kind === 'writing') this.#append(this.#text.decline(index, asked), 'written');
  }

  waitFor(lock: string, run: string | null): void {
    this.#append(`${JSON.stringify({ kind: 'waits', lock, run } satisfies SessionRecord)}\n`, 'written');
  }

  /** Records the end of the session. On return, the record is on disk. */
  finish(success: boolean, whole: boolean, interrupted: NodeJS.Signals | undefined): void {
    this.#isFinished = true;
    const at = new Date(this.#options.now()).toISOString();
    const record: SessionRecord = { kind: 'finish', success, whole, interrupted: interrupted ?? null, at };
    this.#append(`${JSON.stringify(record)}\n`, 'synced');
    this.#options.session.close();
  }

  #askBoot(): void {
    this.#asksBoot = false;
    const ask = this.#options.askBoot;
    const record = (boot: string): void => {
      if (!this.#isFinished) this.#append(`${JSON.stringify({ kind: 'boot', boot })}\n`, 'written');
    };
    // The command is started first.
    if (ask !== undefined) setImmediate(() => ask(record));
  }

  #append(lines: string, durability: 'written' | 'synced'): void {
    if (this.#state.kind !== 'writing' || lines === '') return;
    const { session, warn } = this.#options;
    const problem = session.append(lines, durability);
    if (problem === undefined) return;
    const stuck = session.giveUp();
    this.#state = stuck === undefined ? { kind: 'given up' } : { kind: 'stuck', reason: `the journal: ${stuck}` };
    const end = stuck === undefined ? 'this run continues, but cannot be resumed' : 'no further step starts';
    warn(`the record of the run cannot be written: ${problem}; ${end}`);
  }
}
