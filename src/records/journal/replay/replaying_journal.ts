import type { CommandRunner, Exit, Interruption } from '../../../backend/command_runner.ts';
import type { RunEvent } from '../../../backend/run_event.ts';
import type { AttemptEnd, KnownOp, RunJournal } from '../../../backend/run_journal.ts';
import { isInBackground } from '../../../ir/ops.ts';
import { at, type Plan, type Variable } from '../../../ir/plan.ts';
import { decideStates } from '../../../ir/resume/decide_states.ts';
import { attemptsOf, foldHistory } from '../fold_history.ts';
import { knownOps, knownOutputs } from '../known_ops.ts';
import { recordsOf, type SessionRecord } from '../record.ts';
import { RecordText, type NumberedCommand } from '../record_text.ts';
import { Releases } from './releases.ts';
import { ReplayingRunner } from './replaying_runner.ts';

/** The failure reason of a step that was in flight when its worker, or only the process of its run, was lost. */
const LOST = 'it must not run again, and was running when the process of this run was lost';

/**
 * `plan` is as written, not linked to this machine. `records` are those of this session. A run has had
 * `earlier` sessions if it was resumed. `send` stores records together and settles once they are durable.
 * `interrupt` delivers a signal to the run. `now` returns milliseconds since 1970.
 */
export type ReplayOptions = Readonly<{
  plan: Plan;
  earlier: readonly (readonly SessionRecord[])[];
  records: readonly SessionRecord[];
  send: (records: readonly SessionRecord[]) => Promise<void>;
  interrupt: (signal: NodeJS.Signals) => void;
  now: () => number;
}>;

/** The state of an op that does not run in this process. */
const LEFT_OUT: KnownOp = { kind: 'left out' };

type InFlight = NumberedCommand & Readonly<{ attempt: number; before: Interruption | null }>;

/**
 * The journal of a run whose records are stored elsewhere and may come from another machine. Recorded attempts are
 * replayed, not executed. An op and a number identify an attempt, because the commands of a group end in any order. The
 * start of a command is stored together with its end, so each attempt takes one write.
 */
export class ReplayingJournal implements RunJournal {
  readonly #options: ReplayOptions;
  readonly #releases: Releases;
  readonly #text: RecordText;
  readonly #kept: RunJournal['known'];
  /** The ops whose last attempt is recorded. */
  readonly #ended = new Set<number>();
  readonly #hasFailed: boolean;
  readonly #decisions = new Map<number, KnownOp>();
  /** Steps that were in flight and must not run twice, by op, with their number of attempts. */
  readonly #lost = new Map<number, number>();
  readonly #inFlight = new Map<number, InFlight>();
  /** The steps in the background that were ready. */
  readonly #ready = new Set<number>();
  /** The numbers of commands whose start is stored, because they are ready. */
  readonly #announced = new Set<number>();
  #begun = 0;
  #decided: Promise<unknown> = Promise.resolve();
  #runner: CommandRunner | undefined;
  #isClosed = false;
  #isForced = false;

  constructor(options: ReplayOptions) {
    this.#options = options;
    const { plan, earlier, records } = options;
    // Another machine may need the values of secret outputs.
    this.#text = new RecordText(plan, () => false);
    this.#kept = keptOps(plan, earlier);
    const attempts = attemptsOf(records);
    this.#releases = new Releases(attempts);
    const started = new Map<number, number>();
    for (const record of records) {
      if (record.kind === 'decide') this.#decisions.set(record.op, replayed(record));
      if (record.kind === 'start') started.set(record.n, record.op);
      if (record.kind === 'ready') this.#ready.add(started.get(record.n) ?? -1);
    }
    for (const { start, end } of attempts) {
      if (end !== undefined && end.more !== true) this.#ended.add(start.op);
      // A step in the background is started again.
      if (!this.#isRecorded(start.op, start.attempt) && !isInBackground(plan.ops[start.op]))
        this.#lost.set(start.op, start.attempt);
    }
    for (const op of this.#lost.keys()) this.#releases.drop(op);
    const hasFailed = attempts.some(({ end }) => end?.failed === true && end.allowed !== true && end.more !== true);
    this.#hasFailed = hasFailed || this.receivedSignals > 0;
  }

  /** The number of signals received in the recorded part of the run. */
  get receivedSignals(): number {
    const ends = this.#options.records.flatMap((record) => (record.kind === 'end' ? (record.replay ?? []) : []));
    const all = ends.flatMap(({ before, after }) => [before, after]);
    return Math.max(0, ...all.map((interruption) => (interruption === null ? 0 : interruption.forced ? 2 : 1)));
  }

  /** Whether the run has yet to reach its last record. */
  get isReplaying(): boolean {
    return !this.#releases.isOver;
  }

  /** Whether an event belongs to the recorded part, which has reported it already. */
  isRepeated(event: RunEvent): boolean {
    if (this.isReplaying) return true;
    if (event.kind === 'ended') return this.#isRecorded(event.index, event.attempts);
    if (event.kind === 'waiting') return this.#isRecorded(event.index, event.attempt);
    if (event.kind !== 'skipped') return false;
    return this.#isRecorded(event.index, 1) || this.#decisions.has(event.index);
  }

  /** The same, with the ops that no longer run a command in this process, or perhaps not, because the run has failed. */
  readonly passed: RunJournal['known'] = (op) => {
    return this.known(op) ?? (this.#hasFailed || this.#ended.has(op) ? LEFT_OUT : undefined);
  };

  recorded(op: number, attempt: number): Exit | undefined {
    return this.#releases.recordOf(op, attempt)?.exit;
  }

  #isRecorded(op: number, attempt: number): boolean {
    return this.recorded(op, attempt) !== undefined;
  }

  /** Settles when the run has reached its last record. */
  replayed(): Promise<void> {
    return this.#releases.over;
  }

  /** Wraps the runner that executes the plan. */
  runner(port: CommandRunner): CommandRunner {
    this.#runner = new ReplayingRunner(port, {
      recorded: (number) => this.#replayed(number),
      wasReady: (number) => this.#ready.has(this.#inFlight.get(number)?.op ?? -1),
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

  readonly known: RunJournal['known'] = (op) => {
    if (this.#lost.has(op)) return { kind: 'failed', reason: LOST };
    return this.#decisions.get(op) ?? this.#kept(op);
  };

  /** The attempts of a lost step count as begun when the run reaches it. */
  reach(op: number): void {
    const attempts = this.#lost.get(op) ?? 0;
    if (attempts === 0) return;
    this.#lost.set(op, 0);
    this.#begin(this.#begun + attempts);
  }

  async start(n: number, index: number, attempt: number): Promise<string | undefined> {
    await this.#decided;
    if (this.#isClosed) return 'the worker of this run is lost';
    const { plan, now, send } = this.#options;
    const command = { n, op: index, at: now(), attempt, before: this.#runner?.interruption ?? null };
    this.#inFlight.set(n, command);
    this.#begin(this.#begun + 1);
    const op = at(plan.ops, index);
    // A step that has failed without starting has attempt 0.
    const mustNotRepeat = op.kind === 'run' && op.options.onCrash === 'fail' && attempt > 0;
    if (mustNotRepeat && !this.#isRecorded(index, attempt)) {
      await send(recordsOf(this.#text.start(command, attempt)));
    }
    return this.#isClosed ? 'the worker of this run is lost' : undefined;
  }

  /** Stores the start, too. */
  ready(n: number, milliseconds: number): void {
    const command = this.#inFlight.get(n);
    if (command === undefined || this.#isClosed || this.#isRecorded(command.op, command.attempt)) return;
    this.#announced.add(n);
    this.#store(this.#text.start(command, command.attempt) + this.#text.ready(n, milliseconds));
  }

  async end(n: number, end: AttemptEnd): Promise<void> {
    const command = this.#inFlight.get(n);
    if (command === undefined) throw new Error(`command ${n} has not started`);
    this.#inFlight.delete(n);
    const { op, attempt, before } = command;
    if (this.#isRecorded(op, attempt) || this.#isClosed) return;
    const replay = { begun: this.#begun, before, after: this.#runner?.interruption ?? null };
    const { now, send } = this.#options;
    const start = this.#announced.has(n) ? '' : this.#text.start(command, attempt);
    await send(recordsOf(start + this.#text.end(command, now(), end, replay)));
  }

  decide(index: number, holds: boolean, outputs?: readonly Variable[]): undefined {
    this.#store(this.#text.decide(index, holds, outputs));
  }

  /** Workers have no terminal. */
  ask(): undefined {}

  /** The queue of workers has locks of its own. */
  waitFor(): undefined {}

  decline(index: number, asked: boolean): void {
    this.#store(this.#text.decline(index, asked));
  }

  /** The next command waits until the lines are stored. */
  #store(lines: string): void {
    this.#decided = Promise.all([this.#decided, this.#options.send(recordsOf(lines))]);
  }

  /** The recorded exit of a command, once all commands that ended earlier have been replayed. */
  #replayed(number: number): Promise<Exit> | undefined {
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
}

/** A decision of the recorded part of a session. */
function replayed({ holds, outputs }: SessionRecord & { kind: 'decide' }): KnownOp {
  return { kind: 'decided', holds, isReplayed: true, outputs: knownOutputs(outputs) };
}

/** The results that a resumed run keeps. It asks no questions: its plan is the same, and a step in flight runs again. */
export function keptOps(plan: Plan, earlier: ReplayOptions['earlier']): RunJournal['known'] {
  if (earlier.length === 0) return () => undefined;
  const history = foldHistory(earlier.map((records) => ({ header: plan, records })));
  const none = new Set<number>();
  const choices = { changed: 'keep', unrecorded: 'keep', done: none, rerun: none, selected: null } as const;
  return knownOps(plan, decideStates(plan, history, { ...choices, onCrash: () => 'rerun' }), history, false);
}
