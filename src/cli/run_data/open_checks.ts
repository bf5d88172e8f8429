import type { Options } from '../command_line/parse_command_line.ts';
import type { Prepared } from '../driver/prepare_run.ts';
import type { Io } from '../output/io.ts';
import { PlanChecks } from '../../backend/checks/plan_checks.ts';
import type { RunSettings } from '../../backend/run_settings.ts';
import { FileRecords, type RecordedChecks } from '../../records/up_to_date/file_records.ts';

/** The checks of a run: of the files of its steps, and of the workflows that run once. */
export function openChecks(...given: Parameters<typeof fileRecords>): RunSettings['checks'] {
  const files = fileRecords(...given);
  return (parts) => new PlanChecks(parts, files);
}

/** The records of the files of a plan's steps, with the receivers of lines and warnings. */
export function fileRecords(
  { env }: Pick<Io, 'env'>,
  { plan, path }: Pick<Prepared, 'plan' | 'path'>,
  { args, force, since }: Options,
  { say, warn }: Pick<RecordedChecks, 'say' | 'warn'>,
): FileRecords {
  return new FileRecords({ plan, file: path, args, env, force: force || since !== undefined, say, warn });
}
