import type { RunJournal } from '../../backend/run_journal.ts';
import type { Options } from '../command_line/parse.ts';
import type { PreparedRun } from '../driver/prepare.ts';
import { isCheck } from '../../ir/ops.ts';
import { outline } from '../../ir/views/dry_run_text.ts';
import type { Io } from '../output/io.ts';

/** The outline of a run that is not started. Ops outside of the selected part are marked. `warn` receives warnings. */
export async function outlineLines(
  io: Pick<Io, 'env'>,
  prepared: PreparedRun,
  options: Options,
  known: RunJournal['known'],
  warn: (line: string) => void,
): Promise<Iterable<string>> {
  const isLeftOut = (op: number): boolean => known(op)?.kind === 'left out';
  const states = prepared.plan.ops.some(isCheck)
    ? await (await import('./check_states.ts')).outlineStates(io, prepared, options, warn, isLeftOut)
    : undefined;
  return outline(prepared.written, isLeftOut, states, prepared.plan);
}
