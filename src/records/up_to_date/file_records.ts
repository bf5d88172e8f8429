import type { CheckedStep, FileChecks, StartedStep, Waiting } from '../../backend/checks/check_port.ts';
import { saysMissing } from '../../backend/system/try_system_call.ts';
import type { RunOp, Variable } from '../../ir/plan.ts';
import { describeOp } from '../../ir/steps/describe_op.ts';
import { secretOutputs } from '../../ir/secret_names.ts';
import { TicketLock } from '../locks/ticket_lock.ts';
import { FileStates } from './file_states.ts';
import { FileTable } from './file_table.ts';
import { DIRECTORY, StateDirectory, type RecordName } from './state_directory.ts';
import { differences, identityOf, readGenerated, readState, type CheckedRun, type StepState } from './step_state.ts';
import { recordText, type StepRecord } from './step_record.ts';

/** A run whose steps are checked. With `force`, none is up to date. `say` prints a line, and `warn` a warning. */
export type RecordedChecks = CheckedRun &
  Readonly<{
    env: Readonly<Record<string, string | undefined>>;
    force: boolean;
    say: (line: string) => void;
    warn: (line: string) => void;
  }>;

/**
 * The age in milliseconds up to which a check is not made again before the step starts. Questions can take longer. A source
 * that has changed meanwhile makes the next run run the step, like one that changes during the step.
 */
const FRESH = 1000;

/** The number of reasons in a line. */
const SHOWN = 3;

/**
 * A check: when it began, the version of the step's record, the state of the step, its record, and the reasons why it runs.
 * `compared` is the record that the state was compared with, and `generated` are the files that it has made.
 */
type Check = Readonly<{
  time: number;
  version: string;
  state: StepState;
  record: StepRecord | undefined;
  compared: StepRecord | undefined;
  reasons: readonly string[];
  generated: FileTable;
}>;

/** Checks steps against the records of their last successes. */
export class FileRecords implements FileChecks {
  readonly #run: RecordedChecks;
  readonly #directory: StateDirectory;
  readonly #files = new FileStates();
  /** The checks of steps that are about to start. */
  readonly #checked = new Map<RunOp, Check>();
  readonly #isSecretOutput: (op: RunOp, name: string) => boolean;

  constructor(run: RecordedChecks) {
    this.#run = run;
    this.#directory = new StateDirectory(run.env, run.warn);
    this.#isSecretOutput = secretOutputs(run.plan);
  }

  async test(step: CheckedStep): Promise<readonly Variable[] | undefined> {
    const check = await this.#check(step);
    const { record, reasons } = check;
    if (reasons.length === 0 && record !== undefined) {
      this.#refresh(check, record);
      return record.outputs;
    }
    this.#run.say(`${this.#nameOf(step)} is not up to date: ${reasonText(reasons)}`);
    this.#checked.set(step.op, check);
    return undefined;
  }

  /** The reasons why a step runs; empty if it is up to date. Writes nothing. */
  async reasons(step: CheckedStep): Promise<readonly string[]> {
    return (await this.#check(step)).reasons;
  }

  async start(step: CheckedStep, waiting: Waiting): Promise<StartedStep | undefined> {
    if (!this.#directory.isWritable()) return { kind: 'starts', ended: () => Promise.resolve() };
    const { name } = identityOf(this.#run, step);
    const lock = this.#lock(name);
    let hasWaited = false;
    const say = (pid: number): void => {
      hasWaited = true;
      this.#run.say(`${this.#nameOf(step)} is waiting for process ${pid}, which runs it`);
    };
    const taken = await lock.take(waiting, ({ owner }) => say(owner.pid));
    if (taken === false) return undefined;
    if (taken !== true) {
      this.#directory.fail(taken);
      this.#directory.remove(name);
      return { kind: 'starts', ended: () => Promise.resolve() };
    }
    const last = this.#checked.get(step.op);
    this.#checked.delete(step.op);
    const isFresh = last !== undefined && !hasWaited && this.#isFresh(last);
    const check = isFresh ? last : await this.#check(step);
    const { record, reasons } = check;
    if (reasons.length === 0 && record !== undefined) {
      lock.release();
      return { kind: 'up to date', outputs: record.outputs };
    }
    this.#directory.remove(name);
    const ended = async (outputs: readonly Variable[] | undefined): Promise<void> => {
      const isKept = outputs !== undefined && this.#secretOutputs(step.op).length === 0;
      if (isKept) await this.#succeeded(step, check, outputs);
      lock.release();
    };
    return { kind: 'starts', ended };
  }

  forget(step: CheckedStep): void {
    this.#directory.remove(identityOf(this.#run, step).name);
  }

  /** Writes the record of a step, with its source files as they were before it started, unless they have changed since. */
  async #succeeded(step: CheckedStep, { state, compared }: Check, outputs: readonly Variable[]): Promise<void> {
    const generated = await readGenerated(step, this.#files);
    if (generated.ok) {
      if (!state.isWhole) return;
      const { sources } = await readState(this.#run, step, this.#files, state.sources);
      sources.forgetChanges(state.sources, compared?.sources);
      this.#directory.write(state.name, { ...state.what, sources, generated: generated.value, outputs });
      return;
    }
    const missing = generated.problems.map((pattern) => `'${pattern}'`).join(', ');
    this.#run.warn(`${this.#nameOf(step)} did not generate ${missing}; it will run again`);
  }

  /** Whether a check has just been made, and no other process has run the step since. */
  #isFresh({ time, version, state: { name } }: Check): boolean {
    const age = Date.now() - time;
    return age >= 0 && age < FRESH && this.#directory.versionOf(name) === version;
  }

  async #check(step: CheckedStep): Promise<Check> {
    const { op } = step;
    const { name } = identityOf(this.#run, step);
    const [time, version] = [Date.now(), this.#directory.versionOf(name)];
    const record = this.#directory.read(name);
    const compared = record ?? this.#directory.newest(name);
    const state = await readState(this.#run, step, this.#files, compared?.sources);
    const secret = this.#secretOutputs(op);
    const reasons = [
      ...(this.#run.force ? ['--force'] : []),
      ...secret.map((output) => `output ${output} is secret`),
      ...(compared === undefined ? ['no record'] : differences(state, compared)),
    ];
    const made = compared?.generated ?? new FileTable();
    const generated = await this.#readMade(made);
    for (const [index, path] of made.paths.entries()) {
      const now = generated.indexOf(path, index);
      if (now === -1) reasons.push(`${path} is missing`);
      else if (!generated.isSame(now, made, index)) reasons.push(`${path} was edited`);
    }
    reasons.push(...state.problems);
    if (record === undefined && reasons.length === 0) reasons.push('no record');
    return { time, version, state, record, compared, reasons, generated };
  }

  /** The files that a step has made, as they are now. */
  async #readMade(made: FileTable): Promise<FileTable> {
    const now = new FileTable();
    for (const path of made.paths) {
      const problem = this.#files.add(path, now, made);
      if (problem !== undefined && !saysMissing(problem)) now.addUnreadable(path);
      if (this.#files.isLong) await this.#files.pause();
    }
    return now;
  }

  /** Records the stamps of files whose content was read again and has not changed, unless a run of the step prevents it. */
  #refresh({ state: { name, sources }, generated }: Check, record: StepRecord): void {
    if (!isRead(record.sources, sources) && !isRead(record.generated, generated)) return;
    const lock = this.#lock(name);
    if (!this.#directory.isWritable() || !lock.tryToTake()) return;
    const known = this.#directory.read(name);
    // Another process may have begun to run the step, or have run it.
    if (known !== undefined && recordText(known) === recordText(record))
      this.#directory.write(name, { ...record, sources, generated });
    lock.release();
  }

  /** The lock of a record, so that a step does not run twice at a time. */
  #lock({ step, values }: RecordName): TicketLock {
    return new TicketLock(DIRECTORY, `${step}-${values}.lock`);
  }

  /** The outputs of a step that are secret by their names. Their values are not stored, so the step always runs. */
  #secretOutputs(op: RunOp): readonly string[] {
    return op.options.outputs.flatMap(([name]) => (this.#isSecretOutput(op, name) ? name : []));
  }

  #nameOf({ op }: CheckedStep): string {
    const { plan } = this.#run;
    return describeOp(plan, op);
  }
}

/** Whether the content of any file was read again, and need not be the next time. */
function isRead(known: FileTable, now: FileTable): boolean {
  return now.paths.some((path, index) => {
    const before = known.indexOf(path, index);
    if (before === -1 || !now.isSettled(index)) return false;
    return !known.isSettled(before) || !now.hasStampsOf(index, known, before);
  });
}

/** The first few reasons. */
export function reasonText(reasons: readonly string[]): string {
  const more = reasons.length - SHOWN;
  return [...reasons.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
