import { at, type Op, type RunOp } from '../../ir/plan.ts';
import { exitCode, hasFailed } from '../command_runner.ts';
import type { CommandResult } from '../attempts.ts';
import type { KeptResult } from '../run_journal.ts';
import type { SharedState } from '../run_settings.ts';

/** Adds the results of steps to the result of the run, and their outputs and exit codes to the values for later commands. */
export class StepResults {
  readonly #shared: SharedState;

  constructor(shared: SharedState) {
    this.#shared = shared;
  }

  /** Adds a step that has ended. Returns whether it failed. */
  add(op: RunOp, index: number, ended: CommandResult): boolean {
    const { exit } = ended;
    const failed = hasFailed(exit);
    this.#shared.steps.push({ op, exitCode: exitCode(exit), ...ended, failed });
    this.#keepEnd(index, { exit, failed });
    return failed;
  }

  /** Adds a kept step. It is part of the result even if this session fails. */
  keep(op: Op, index: number, result: KeptResult): void {
    const { hooks, steps, settings } = this.#shared;
    settings.observe({ kind: 'kept', op, index });
    if (op.kind === 'hook' && result.exitCode !== null) hooks.push({ op, exitCode: result.exitCode });
    if (op.kind !== 'run') return;
    steps.push({ op, ...result, kept: true });
    this.#keepEnd(index, result);
  }

  /** Adds the finished steps among the ops from `start` up to `end`, none of which has a result yet. */
  keepFinished(start: number, end: number): void {
    for (let index = start; index < end; index += 1) {
      const known = this.#shared.journal.known(index);
      this.#shared.journal.reach(index);
      const op = at(this.#shared.plan.ops, index);
      if (known?.kind === 'finished' && op.kind === 'run') this.keep(op, index, known.result);
    }
  }

  /** The same for a group, some of whose steps may have a result. */
  keepUnstarted(start: number, end: number): void {
    const results = new Set(this.#shared.steps.map(({ op }) => op));
    for (let index = start; index < end; index += 1) {
      const op = at(this.#shared.plan.ops, index);
      if (op.kind === 'run' && !results.has(op)) this.keepFinished(index, index + 1);
    }
  }

  #keepEnd(index: number, { exit, failed }: Pick<KeptResult, 'exit' | 'failed'>): void {
    const { requests, missing } = this.#shared;
    requests.addEnd(index, exit);
    if (failed) missing.addFailed(index);
  }
}
