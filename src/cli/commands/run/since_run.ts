import type { KnownOp, RunJournal } from '../../../backend/run_journal.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import type { PreparedRun } from '../../driver/prepare_run.ts';
import type { SelectedPart } from '../../driver/recording/record_run.ts';
import { decideSince } from '../../driver/since/decide_since.ts';
import { printStderr, type Io } from '../../output/io.ts';
import type { Result } from '../../../base/result.ts';

/** A step that a run with `--since` skips. Its decision has been recorded before the first step. */
const SKIPPED: KnownOp = { kind: 'decided', holds: false, isReplayed: true };

/** A run with `--since`: its decisions are made, and steps that are not touched are known as skipped. */
type SinceRun = Readonly<{ prepared: PreparedRun; selected: SelectedPart }>;

export async function sinceRun(
  io: Io,
  prepared: PreparedRun,
  { quiet }: Options,
  revision: string,
  selected: SelectedPart,
): Promise<Result<SinceRun>> {
  if (prepared.questions !== undefined) return { ok: false, problems: ["'--since' needs all inputs as words"] };
  const decided = await decideSince(io, prepared, revision, selected.known);
  if (!decided.ok) return decided;
  const { prepared: chosen, skipped, notes } = decided.value;
  if (!quiet) printStderr(io, notes, 'cli: ');
  const known: RunJournal['known'] = (op) => selected.known(op) ?? (skipped.has(op) ? SKIPPED : undefined);
  return { ok: true, value: { prepared: chosen, selected: { ...selected, known, decided: [...skipped] } } };
}
