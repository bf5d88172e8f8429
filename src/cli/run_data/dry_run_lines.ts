import { existsSync } from 'node:fs';
import type { RunJournal } from '../../backend/run_journal.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { selectsPart } from '../driver/recording/selected_part.ts';
import type { PreparedRun } from '../driver/prepare_run.ts';
import { runsPlace } from '../driver/recording/record_run.ts';
import type { SinceRevision } from '../../ir/plan.ts';
import { isCheck } from '../../ir/ops.ts';
import { outline } from '../../ir/views/dry_run_text.ts';
import type { Io } from '../output/io.ts';

/** The outline of a run that is not started. Ops outside of the selected part are marked. `warn` receives warnings. */
export async function dryRunLines(
  io: Pick<Io, 'env'>,
  prepared: PreparedRun,
  options: Options,
  known: RunJournal['known'],
  warn: (line: string) => void,
): Promise<Iterable<string>> {
  const isLeftOut = (op: number): boolean => known(op)?.kind === 'left out';
  const since = prepared.plan.ops.flatMap((op, index) => {
    const decision = op.kind === 'condition' && op.test.kind === 'stale' ? op.test.since : undefined;
    return decision === undefined ? [] : [[index + 1, describeSince(decision)] as const];
  });
  if (since.length > 0) return outline(prepared.written, isLeftOut, new Map(since), prepared.plan);
  const states = prepared.plan.ops.some(isCheck)
    ? await (await import('./check_states.ts')).outlineStates(io, prepared, options, warn, isLeftOut)
    : undefined;
  return outline(prepared.written, isLeftOut, states, prepared.plan);
}

/** The decision about a step in a run with `--since`. */
function describeSince({ revision, reason }: SinceRevision): string {
  return reason === null ? `not touched since ${revision}` : `runs: ${reason}`;
}

/** A line with the usual time of a run, if enough runs of the whole workflow are recorded. */
export async function estimate(io: Io, { plan }: PreparedRun, options: Options): Promise<readonly string[]> {
  if (selectsPart(options) || !existsSync(runsPlace(io))) return [];
  const line = (await import('./statistics/usual_times.ts')).estimateLine(io, plan.workflow);
  return line === undefined ? [] : [line];
}
