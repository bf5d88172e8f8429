import type { RunJournal } from '../run_journal.ts';
import type { Plan } from '../../ir/plan.ts';

/**
 * The secrets that are needed in any case, in plan order: those of the steps and hooks that run in this session and are
 * behind no condition. Hooks for a failure may not run.
 */
export function earlySecrets({ ops }: Plan, known: RunJournal['known']): readonly number[] {
  const found = new Set<number>();
  let guarded = 0;
  for (const [index, op] of ops.entries()) {
    if (op.kind === 'condition') guarded = Math.max(guarded, op.target);
    const isNeeded = op.kind === 'run' || (op.kind === 'hook' && op.when !== 'failure');
    if (!isNeeded || index < guarded || known(index) !== undefined) continue;
    for (const secret of op.secrets ?? []) found.add(secret);
  }
  return [...found];
}
