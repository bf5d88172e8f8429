import { PlanChecks } from '../../../backend/checks/plan_checks.ts';
import type { RunSettings } from '../../../backend/shared_state.ts';
import type { Options } from '../../command_line/parse.ts';
import { recordedChecks } from '../../runs/recorded_checks.ts';
import type { Prepared } from '../../driver/prepare.ts';
import { printStderr, type Io } from '../../output/io.ts';
import { FileRecords } from '../../../records/up_to_date/file_records.ts';

/** The checks of a run: of the files of its steps, and of the workflows that run once. */
export function openChecks(io: Io, prepared: Pick<Prepared, 'plan' | 'path'>, options: Options): RunSettings['checks'] {
  const { quiet: isQuiet } = options;
  const say = (line: string): unknown => isQuiet || printStderr(io, [line], 'cli: ');
  const warn = (line: string): void => printStderr(io, [line], 'cli: warning: ');
  const files = new FileRecords(recordedChecks(io, prepared, options, { say, warn }));
  return (parts) => new PlanChecks(parts, files);
}
