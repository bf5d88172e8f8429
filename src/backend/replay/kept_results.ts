import { exitCode, hasFailed, isNotRunnable } from '../command_runner.ts';
import type { KnownOp } from '../run_journal.ts';
import type { OpRecord, RunRecord } from './run_record.ts';

/**
 * The results that a resumed run keeps, by op, from the records of its earlier sessions, oldest first. These are the
 * same as in a local resume: finished steps, conditions, and `after_all`. The other hooks run in each session.
 */
export function keptResults(sessions: readonly (readonly RunRecord[])[]): ReadonlyMap<number, KnownOp> {
  const kept = new Map<number, KnownOp>();
  for (const record of sessions.flat()) {
    if (record.kind === 'decision') kept.set(record.op, { kind: 'decided', holds: record.holds });
    if (record.kind !== 'op') continue;
    const result = resultOf(record);
    if (result !== undefined) kept.set(record.op, result);
  }
  return kept;
}

function resultOf({ what, name, exit, attempt, finished }: OpRecord): KnownOp | undefined {
  if (!finished || (what === 'hook' && name !== 'after_all')) return undefined;
  if (what === 'condition') {
    // A condition that could not be run is tested again.
    return exit.kind === 'exited' && !isNotRunnable(exit) ? { kind: 'decided', holds: exit.code === 0 } : undefined;
  }
  const result = { exitCode: exitCode(exit), exit, attempts: attempt, failed: hasFailed(exit) };
  return { kind: 'finished', result };
}
