import { at, type Op, type RunOp } from '../../ir/plan.ts';
import { exitCode, hasFailed } from '../command_runner.ts';
import type { CommandResult } from '../attempts.ts';
import type { KeptResult } from '../run_journal.ts';
import type { SharedState } from '../run_settings.ts';

/*
 * The results of steps: each is added to the result of the run, and its outputs and exit code to the values for later
 * commands.
 */

/** Adds a step that has ended. Returns whether it failed. */
export function addResult(shared: SharedState, op: RunOp, index: number, ended: CommandResult): boolean {
  const { exit } = ended;
  const failed = hasFailed(exit);
  shared.steps.push({ op, exitCode: exitCode(exit), ...ended, failed });
  keepEnd(shared, index, { exit, failed });
  return failed;
}

/** Adds a kept step. It is part of the result even if this session fails. */
export function keepResult(shared: SharedState, op: Op, index: number, result: KeptResult): void {
  const { hooks, steps, settings } = shared;
  settings.observe({ kind: 'kept', op, index });
  if (op.kind === 'hook' && result.exitCode !== null) hooks.push({ op, exitCode: result.exitCode });
  if (op.kind !== 'run') return;
  steps.push({ op, ...result, kept: true });
  keepEnd(shared, index, result);
}

/** Adds the finished steps among the ops from `start` up to `end`, none of which has a result yet. */
export function keepFinished(shared: SharedState, start: number, end: number): void {
  for (let index = start; index < end; index += 1) {
    const known = shared.journal.known(index);
    shared.journal.reach(index);
    const op = at(shared.plan.ops, index);
    if (known?.kind === 'finished' && op.kind === 'run') keepResult(shared, op, index, known.result);
  }
}

/** The same for a group, some of whose steps may have a result. */
export function keepUnstarted(shared: SharedState, start: number, end: number): void {
  const results = new Set(shared.steps.map(({ op }) => op));
  for (let index = start; index < end; index += 1) {
    const op = at(shared.plan.ops, index);
    if (op.kind === 'run' && !results.has(op)) keepFinished(shared, index, index + 1);
  }
}

function keepEnd(
  { requests, missing }: SharedState,
  index: number,
  { exit, failed }: Pick<KeptResult, 'exit' | 'failed'>,
): void {
  requests.addEnd(index, exit);
  if (failed) missing.addFailed(index);
}
