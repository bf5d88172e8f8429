import { resolve } from 'node:path';
import type { CheckedStep, FileChecks, StartedStep, Waiting } from '../backend/checks/check_port.ts';
import { at, type RunOp, type Variable } from '../ir/plan.ts';
import { secretOutputs } from '../ir/secrets.ts';
import { FileStates, isSame, type FileState } from './file_states.ts';
import { StateDirectory } from './state_directory.ts';
import { StepLock } from './step_lock.ts';
import {
  differences,
  identityOf,
  isSameFile,
  readGenerated,
  readState,
  type CheckedRun,
  type StepState,
} from './step_state.ts';
import { recordText, type Files, type StepRecord } from './step_record.ts';

/** A run whose steps are checked. With `force`, none is up to date. `say` prints a line, and `warn` a warning. */
export type RecordedChecks = CheckedRun &
  Readonly<{
    env: Readonly<Record<string, string | undefined>>;
    force: boolean;
    say: (line: string) => void;
    warn: (line: string) => void;
  }>;

/** The number of reasons in a line. */
const SHOWN = 3;

/** A check: the state of the step, its record, and the reasons why it runs. `generated` are the files that it has made. */
type Check = Readonly<{
  state: StepState;
  record: StepRecord | undefined;
  reasons: readonly string[];
  generated: Files;
}>;

/** Checks steps against the records of their last successes. */
export class FileRecords implements FileChecks {
  readonly #run: RecordedChecks;
  readonly #directory: StateDirectory;
  readonly #files = new FileStates();
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
    return undefined;
  }

  /** The reasons why a step runs; empty if it is up to date. Writes nothing. */
  async reasons(step: CheckedStep): Promise<readonly string[]> {
    return (await this.#check(step)).reasons;
  }

  async start(step: CheckedStep, waiting: Waiting): Promise<StartedStep | undefined> {
    if (!this.#directory.isWritable()) return { kind: 'starts', ended: () => Promise.resolve() };
    const { name } = identityOf(this.#run, step);
    const lock = new StepLock(this.#directory.path, name);
    const say = (pid: number): void => {
      this.#run.say(`${this.#nameOf(step)} is waiting for process ${pid}, which runs it`);
    };
    if (!(await lock.take(waiting, say))) return undefined;
    const { state, record, reasons } = await this.#check(step);
    if (reasons.length === 0 && record !== undefined) {
      lock.release();
      return { kind: 'up to date', outputs: record.outputs };
    }
    this.#directory.remove(name);
    const ended = async (outputs: readonly Variable[] | undefined): Promise<void> => {
      const isKept = outputs !== undefined && this.#secretOutputs(step.op).length === 0;
      if (isKept) await this.#succeeded(step, state, outputs);
      lock.release();
    };
    return { kind: 'starts', ended };
  }

  forget(step: CheckedStep): void {
    this.#directory.remove(identityOf(this.#run, step).name);
  }

  /** Writes the record of a step, with its source files as they were before it started. */
  async #succeeded(
    step: CheckedStep,
    { name, what, sources, isWhole }: StepState,
    outputs: readonly Variable[],
  ): Promise<void> {
    const generated = await readGenerated(step, this.#files);
    if (generated.ok) {
      if (isWhole) this.#directory.write(name, { ...what, sources, generated: generated.value, outputs });
      return;
    }
    const missing = generated.problems.map((pattern) => `'${pattern}'`).join(', ');
    this.#run.warn(`${this.#nameOf(step)} did not generate ${missing}; it will run again`);
  }

  async #check(step: CheckedStep): Promise<Check> {
    const { op } = step;
    const { name } = identityOf(this.#run, step);
    const record = this.#directory.read(name);
    const compared = record ?? this.#directory.newest(name);
    for (const files of [compared?.sources, compared?.generated]) {
      for (const [path, known] of files ?? []) this.#files.learn(resolve(path), known);
    }
    const state = await readState(this.#run, step, this.#files);
    const secret = this.#secretOutputs(op);
    const reasons = [
      ...(this.#run.force ? ['--force'] : []),
      ...secret.map((output) => `output ${output} is secret`),
      ...(compared === undefined ? ['no record'] : differences(state, compared)),
    ];
    const generated = new Map<string, FileState>();
    for (const [path, known] of compared?.generated ?? []) {
      const found = await this.#files.of(resolve(path));
      if (found === undefined) reasons.push(`${path} is missing`);
      else if (typeof found === 'string' || !isSameFile(known, found)) reasons.push(`${path} was edited`);
      else generated.set(path, found);
    }
    reasons.push(...state.problems);
    if (record === undefined && reasons.length === 0) reasons.push('no record');
    return { state, record, reasons, generated };
  }

  /** Records the stamps of files whose content was read again and has not changed, unless a run of the step prevents it. */
  #refresh({ state: { name, sources }, generated }: Check, record: StepRecord): void {
    if (!isRead(record.sources, sources) && !isRead(record.generated, generated)) return;
    const lock = new StepLock(this.#directory.path, name);
    if (!this.#directory.isWritable() || !lock.tryToTake()) return;
    const known = this.#directory.read(name);
    // Another process may have begun to run the step, or have run it.
    if (known !== undefined && recordText(known) === recordText(record))
      this.#directory.write(name, { ...record, sources, generated });
    lock.release();
  }

  /** The outputs of a step that are secret by their names. Their values are not stored, so the step always runs. */
  #secretOutputs(op: RunOp): readonly string[] {
    return op.options.outputs.flatMap(([name]) => (this.#isSecretOutput(op, name) ? name : []));
  }

  #nameOf({ op }: CheckedStep): string {
    return `step '${op.name}' of workflow '${at(this.#run.plan.calls, op.call).workflow}'`;
  }
}

/** Whether the content of any file was read again, and need not be the next time. */
function isRead(known: Files, now: Files): boolean {
  for (const [path, { stamp }] of now) {
    const before = known.get(path)?.stamp ?? null;
    if (stamp !== null && (before === null || !isSame(before, stamp))) return true;
  }
  return false;
}

/** The first few reasons. */
export function reasonText(reasons: readonly string[]): string {
  const more = reasons.length - SHOWN;
  return [...reasons.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
