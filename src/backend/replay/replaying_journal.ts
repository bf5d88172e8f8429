import { at, type CommandOp, type Op, type Plan } from '../../ir/plan.ts';
import type { CommandRunner, Exit, Interruption } from '../command_runner.ts';
import type { RunEvent } from '../run_event.ts';
import type { AttemptEnd, KnownOp, RunJournal } from '../run_journal.ts';
import { keptResults } from './kept_results.ts';
import { Releases } from './releases.ts';
import { ReplayingRunner } from './replaying_runner.ts';
import type { RunRecord } from './run_record.ts';

/** The failure reason of a step that was in flight when its worker, or only the process of its run, was lost. */
const LOST = 'it must not run again, and was running when the process of this run was lost';

/**
 * `records` are those of this session. A run has had `earlier` sessions if it was resumed. `send` stores a record and
 * settles once it is durable. `interrupt` delivers a signal to the run. `now` returns milliseconds since 1970.
 */
export type ReplayOptions = Readonly<{
  plan: Plan;
  earlier: readonly (readonly RunRecord[])[];
  records: readonly RunRecord[];
  send: (record: RunRecord) => Promise<void>;
  interrupt: (signal: NodeJS.Signals) => void;
  now: () => number;
}>;

type InFlight = Readonly<{ op: number; attempt: number; before: Interruption | null; started: number }>;

/**
 * The journal of a run whose records are stored elsewhere and may come from another machine. Recorded attempts are
 * replayed, not executed. An op and a number identify an attempt, because the commands of a group end in any order.
 */
export class ReplayingJournal implements RunJournal {
  readonly #options: ReplayOptions;
  readonly #releases: Releases;
  readonly #kept: ReadonlyMap<number, KnownOp>;
  readonly #decisions = new Map<number, boolean>();
  readonly #indexes: ReadonlyMap<Op, number>;
  /** Steps that were in flight and must not run twice, by op, with their number of attempts. */
  readonly #lost = new Map<number, number>();
  readonly #inFlight = new Map<number, InFlight>();
  #begun = 0;
  #decided: Promise<unknown> = Promise.resolve();
  #runner: CommandRunner | undefined;
  #isClosed = false;
  #isForced = false;

  constructor(options: ReplayOptions) {
    this.#options = options;
    const { plan, earlier, records } = options;
    this.#indexes = new Map(plan.ops.map((op, index) => [op, index]));
    this.#kept = keptResults(earlier);
    this.#releases = new Releases(records.filter((record) => record.kind === 'op'));
    for (const record of records) {
      if (record.kind === 'decision') this.#decisions.set(record.op, record.holds);
      if (record.kind === 'start' && this.#releases.recordOf(record.op, record.attempt) === undefined) {
        this.#lost.set(record.op, record.attempt);
      }
    }
    for (const op of this.#lost.keys()) this.#releases.drop(op);
  }

  /** The number of signals received in the recorded part of the run. */
  get receivedSignals(): number {
    const all = this.#options.records.flatMap((record) => (record.kind === 'op' ? [record.before, record.after] : []));
    return Math.max(0, ...all.map((interruption) => (interruption === null ? 0 : interruption.forced ? 2 : 1)));
  }

  /** Whether the run has yet to reach its last record. */
  get isReplaying(): boolean {
    return !this.#releases.isOver;
  }

  /** Whether an event belongs to the recorded part, which has reported it already. */
  isRepeated(event: RunEvent): boolean {
    if (this.isReplaying) return true;
    if (event.kind === 'ended') return this.#isRecorded(event.op, event.attempts);
    if (event.kind === 'waiting') return this.#isRecorded(event.op, event.attempt);
    if (event.kind !== 'skipped') return false;
    return this.#isRecorded(event.op, 1) || this.#decisions.has(this.#indexes.get(event.op) ?? -1);
  }

  #isRecorded(op: CommandOp, attempt: number): boolean {
    const index = this.#indexes.get(op);
    return index !== undefined && this.#releases.recordOf(index, attempt) !== undefined;
  }

  /** Settles when the run has reached its last record. */
  replayed(): Promise<void> {
    return this.#releases.over;
  }

  /** Wraps the runner that executes the plan. */
  runner(port: CommandRunner): CommandRunner {
    this.#runner = new ReplayingRunner(port, {
      recorded: (number) => this.#recorded(number),
      isOver: () => !this.isReplaying,
      isForced: () => this.#isForced,
    });
    this.#deliver(this.#releases.pending());
    return this.#runner;
  }

  /** Prevents further commands from starting, since they could not be recorded. */
  close(): void {
    this.#isClosed = true;
  }

  known(op: number): KnownOp | undefined {
    const attempts = this.#lost.get(op);
    if (attempts !== undefined) {
      this.#lost.delete(op);
      this.#begin(this.#begun + attempts);
      return { kind: 'failed', reason: LOST };
    }
    const holds = this.#decisions.get(op);
    return holds === undefined ? this.#kept.get(op) : { kind: 'decided', holds };
  }

  async start(n: number, index: number, attempt: number): Promise<string | undefined> {
    await this.#decided;
    if (this.#isClosed) return 'the worker of this run is lost';
    const { now, send } = this.#options;
    const before = this.#runner?.interruption ?? null;
    this.#inFlight.set(n, { op: index, attempt, before, started: now() });
    this.#begin(this.#begun + 1);
    const op = this.#opAt(index);
    const mustNotRepeat = op.kind === 'run' && op.options.onCrash === 'fail';
    if (mustNotRepeat && this.#releases.recordOf(index, attempt) === undefined) {
      await send({ kind: 'start', ...this.#about(index), attempt });
    }
    return this.#isClosed ? 'the worker of this run is lost' : undefined;
  }

  async end(n: number, { exit, failed, allowed, more, interrupted }: AttemptEnd): Promise<void> {
    const command = this.#inFlight.get(n);
    if (command === undefined) throw new Error(`command ${n} has not started`);
    this.#inFlight.delete(n);
    const { op, attempt, before, started } = command;
    if (this.#releases.recordOf(op, attempt) !== undefined || this.#isClosed) return;
    const after = this.#runner?.interruption ?? null;
    const [about, ended] = [this.#about(op), this.#options.now()];
    const finished = !interrupted && !more && (!failed || allowed || about.what === 'condition');
    await this.#options.send({
      kind: 'op',
      ...about,
      attempt,
      exit,
      begun: this.#begun,
      before,
      after,
      finished,
      started,
      ended,
    });
  }

  /** The next command waits until the decision is stored. */
  decide(index: number, holds: boolean): undefined {
    const op = this.#opAt(index);
    if (op.kind !== 'condition' || op.test.kind !== 'variable') return;
    const stored = this.#options.send({ kind: 'decision', op: index, holds });
    this.#decided = Promise.all([this.#decided, stored]);
  }

  /** The recorded exit of a command, once all commands that ended earlier have been replayed. */
  #recorded(number: number): Promise<Exit> | undefined {
    const command = this.#inFlight.get(number);
    const record = command && this.#releases.recordOf(command.op, command.attempt);
    if (record === undefined) return undefined;
    return this.#releases.wait(record).then(() => {
      this.#deliver(record.after ?? this.#releases.pending());
      return record.exit;
    });
  }

  /** Delivers a recorded signal at the point where the run received it. */
  #deliver(interruption: Interruption | null): void {
    if (interruption === null) return;
    if (this.#runner?.interruption === undefined) this.#options.interrupt(interruption.signal);
    this.#isForced ||= interruption.forced;
  }

  #begin(count: number): void {
    this.#begun = count;
    this.#releases.advance(count);
  }

  #about(index: number): Readonly<{ op: number; what: CommandOp['kind']; name: string }> {
    const op = this.#opAt(index);
    const name = op.kind === 'run' ? op.name : op.kind === 'hook' ? op.hook : `step ${op.step}`;
    return { op: index, what: op.kind, name };
  }

  #opAt(index: number): CommandOp {
    const op = at(this.#options.plan.ops, index);
    if (op.kind === 'parallel') throw new Error('a group has no command');
    return op;
  }
}
