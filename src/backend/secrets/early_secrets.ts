import type { RunJournal } from '../run_journal.ts';
import { certainCommands } from '../../ir/guarded_ops.ts';
import type { Plan } from '../../ir/plan.ts';

/** The secrets that a session needs in any case, in plan order. */
export function earlySecrets(plan: Plan, known: RunJournal['known']): readonly number[] {
  const found = new Set<number>();
  for (const [index, { secrets = [] }] of certainCommands(plan)) {
    const kind = known(index)?.kind;
    if (kind === undefined || kind === 'cleaned') for (const secret of secrets) found.add(secret);
  }
  return [...found];
}
