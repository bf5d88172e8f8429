import { PlanChecks } from '../../backend/checks/plan_checks.ts';
import type { RunSettings } from '../../backend/shared_state.ts';
import type { Options } from '../../command_line/parse.ts';
import { usesArguments } from '../../driver/mentions_arguments.ts';
import type { Prepared } from '../../driver/prepare.ts';
import { printStderr, type Io } from '../../output/io.ts';
import { FileRecords, type RecordedChecks } from '../../state/file_records.ts';

/** The checks of a run: of the files of its steps, and of the workflows that run once. */
export function openChecks(io: Io, prepared: Pick<Prepared, 'plan' | 'path'>, options: Options): RunSettings['checks'] {
  const files = new FileRecords(recordedChecks(io, prepared, options));
  return (parts) => new PlanChecks(parts, files);
}

/** The checks of the steps of a plan. */
export function recordedChecks(
  io: Io,
  { plan, path }: Pick<Prepared, 'plan' | 'path'>,
  { args, switches }: Options,
): RecordedChecks {
  const isQuiet = switches.has('quiet');
  return {
    plan,
    file: path,
    args,
    usesArguments: (op) => usesArguments({ ops: [op] }),
    env: io.env,
    force: switches.has('force'),
    say: (line) => isQuiet || printStderr(io, [line], 'cli: '),
    warn: (line) => printStderr(io, [line], 'cli: warning: '),
  };
}
