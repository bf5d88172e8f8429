import { secretNames, type Secrecy } from '../../ir/secret_names.ts';
import { isCheck, type CheckOp } from '../../ir/ops.ts';
import { at, type RunOp, type StaleTest, type Variable } from '../../ir/plan.ts';
import { hasFailed, type CommandRunner, type Exit } from '../command_runner.ts';
import { HOLDS, SKIPS, type CheckedStep, type CheckParts, type ConditionResult } from './check_port.ts';
import { waitingOf, type FileChecks, type StartedStep } from './check_port.ts';
import type { KnownOp } from '../run_journal.ts';
import { OnceCalls } from './once_calls.ts';

/** The checks of a plan, for its interpreters. Without `files`, every step counts as not up to date. */
export class PlanChecks {
  readonly #parts: CheckParts;
  readonly #files: FileChecks | undefined;
  readonly #once: OnceCalls;
  readonly #isSecret: Secrecy;
  /** The results of early tests: the outputs of steps that are up to date, null for the others. */
  readonly #early = new Map<number, readonly Variable[] | null>();
  readonly #started = new Map<number, StartedStep & { readonly kind: 'starts' }>();

  constructor(parts: CheckParts, files?: FileChecks) {
    this.#parts = parts;
    this.#files = files;
    this.#once = new OnceCalls(parts);
    this.#isSecret = secretNames(parts.plan);
  }

  async test({ test }: CheckOp, index: number, runner: CommandRunner): Promise<ConditionResult> {
    if (test.kind === 'first') return this.#once.test(index, runner);
    if (test.since !== undefined) return test.since.reason === null ? SKIPS : HOLDS;
    const early = this.#early.get(index);
    const outputs = early === undefined ? await this.#outputs(test, index, runner) : early;
    if (outputs === null) return HOLDS;
    this.#parts.requests.addUpToDate(index + 1, outputs);
    return { ...SKIPS, outputs };
  }

  /** Tests the checks in a range of ops of which a question depends, before the questions are asked. */
  async testEarly(start: number, end: number, runner: CommandRunner): Promise<void> {
    const { plan, journal } = this.#parts;
    for (let index = start; index < end; index += 1) {
      const [op, step] = [at(plan.ops, index), plan.ops[index + 1]];
      if (op.kind !== 'condition' || op.test.kind !== 'stale' || step?.kind !== 'run') continue;
      if (step.options.confirm === null || journal.known(index) !== undefined) continue;
      this.#early.set(index, await this.#outputs(op.test, index, runner));
    }
  }

  /** Whether an early test has found that the step of a check is up to date. */
  isUpToDate(index: number): boolean {
    return (this.#early.get(index) ?? null) !== null;
  }

  /** Applies the recorded result of a check. Returns the receiver of the end of a call that runs first. */
  async recall(op: CheckOp, index: number, known: KnownOp & { kind: 'decided' }): Promise<ConditionResult['ended']> {
    if (op.test.kind === 'first') return this.#once.recall(index, known);
    if (op.test.kind === 'stale' && op.test.since === undefined && !known.holds)
      this.#parts.requests.addUpToDate(index + 1, known.outputs ?? []);
    return undefined;
  }

  /**
   * A step is about to start. If it has a check, waits for other runs of it and checks again. Returns the outputs of a
   * step that is up to date by now.
   */
  async start(index: number, runner: CommandRunner): Promise<readonly Variable[] | undefined> {
    const { plan, journal, requests } = this.#parts;
    const check = plan.ops[index - 1];
    if (this.#files === undefined || !isCheck(check) || check.test.kind !== 'stale') return undefined;
    const step = this.#stepAt(check.test, index);
    // The command has perhaps run on another machine, or runs after a check on one.
    if (journal.known(index - 1) !== undefined) return this.#files.forget(step) ?? undefined;
    const started = await this.#files.start(step, waitingOf(runner));
    if (started?.kind === 'starts') this.#started.set(index, started);
    if (started?.kind !== 'up to date') return undefined;
    requests.addUpToDate(index, started.outputs);
    return started.outputs;
  }

  /** The end of a step that was about to start; undefined if its command did not start. */
  async end(index: number, exit: Exit | undefined, runner: CommandRunner): Promise<void> {
    const started = this.#started.get(index);
    if (started === undefined) return;
    this.#started.delete(index);
    const isDone = exit?.kind === 'exited' && !hasFailed(exit) && !waitingOf(runner).isStopped();
    await started.ended(isDone ? keptOutputs(exit) : undefined);
  }

  async #outputs(test: StaleTest, index: number, runner: CommandRunner): Promise<readonly Variable[] | null> {
    if (test.since !== undefined) return test.since.reason === null ? [] : null;
    const step = at(this.#parts.plan.ops, index + 1);
    if (this.#files === undefined || step.kind !== 'run' || this.#parts.missing.ofStep(step) !== undefined) return null;
    return (await this.#files.test(this.#stepAt(test, index + 1), waitingOf(runner))) ?? null;
  }

  #stepAt(test: StaleTest, index: number): CheckedStep {
    const { plan, requests } = this.#parts;
    const op = at(plan.ops, index);
    if (op.kind !== 'run') throw new Error('a check of no command');
    return checkedStep(test, op, requests, this.#isSecret);
  }
}

/** A step as its check sees it, with the values that are known by now. */
export function checkedStep(
  { sources, generates }: StaleTest,
  op: RunOp,
  requests: CheckParts['requests'],
  isSecret: Secrecy,
): CheckedStep {
  return {
    op,
    sources: sources.map(({ text }) => text),
    generates: generates.map(({ text }) => text),
    variables: checkedVariables(op, requests, isSecret),
    reads: op.reads.map((read) => requests.valueOf(read) ?? ''),
  };
}

/** The variables that the file or a parameter sets or declares in the scope of a step, with their values, by name. */
function checkedVariables({ frame }: RunOp, requests: CheckParts['requests'], isSecret: Secrecy): readonly Variable[] {
  const environment = requests.environment(frame);
  const names = [...requests.declared(frame)].filter((name) => !isSecret(name));
  return names.toSorted().flatMap((name) => {
    const value = environment.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
}

/** The outputs of a step to keep; undefined if one of them contains a secret. */
function keptOutputs(exit: Exit): readonly Variable[] | undefined {
  if (exit.kind !== 'exited' || exit.outputs?.ok !== true) return [];
  if (exit.outputs.secret !== undefined) return undefined;
  return exit.outputs.values.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}
