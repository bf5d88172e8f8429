import type { Options } from '../command_line/parse.ts';
import { usesArguments } from '../driver/mentions_arguments.ts';
import type { Prepared } from '../driver/prepare.ts';
import type { Io } from '../output/io.ts';
import type { RecordedChecks } from '../../records/up_to_date/file_records.ts';

/** The checks of the steps of a plan, with the receivers of their lines and warnings. */
export function recordedChecks(
  { env }: Pick<Io, 'env'>,
  { plan, path }: Pick<Prepared, 'plan' | 'path'>,
  { args, force }: Options,
  { say, warn }: Pick<RecordedChecks, 'say' | 'warn'>,
): RecordedChecks {
  return { plan, file: path, args, usesArguments: (op) => usesArguments({ ops: [op] }), env, force, say, warn };
}
