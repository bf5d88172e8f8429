import { OutputPipes } from '../../../backend/outputs/output_pipes.ts';
import { OutputRecorder } from '../../../backend/outputs/output_recorder.ts';
import { runsDirectory, type Recording } from '../../driver/recording/record_run.ts';
import type { LogKind } from '../../../backend/outputs/logs/stored_logs.ts';
import type { Plan } from '../../../ir/plan.ts';
import { logDirectory } from '../../../records/journal/directory/file_names.ts';
import { printStderr, type Io, type RunIo } from '../../output/io.ts';
import { SecretMask } from '../secret_mask.ts';

/**
 * The recorder of a run's output. `onEvent` must be called before an event reaches a reporter, `hide` with each secret.
 */
type RunOutputRecorder = Readonly<{ recorder: OutputRecorder }> & Pick<SecretMask, 'hide' | 'onEvent'>;

/** Records the output of each command of a run. Returns undefined after a warning if the system provides no pipe. */
export async function recordOutput(io: RunIo, plan: Plan, lines: number): Promise<RunOutputRecorder | undefined> {
  const pipes = await OutputPipes.create(io.stderr);
  if (typeof pipes === 'string')
    return printStderr(io, [`the output of steps is not recorded: ${pipes}`], 'cli: warning: ');
  const mask = new SecretMask(plan, io.env);
  return {
    recorder: new OutputRecorder(pipes, lines, mask, io.shared.passOn),
    hide: (value) => mask.hide(value),
    onEvent: (event) => {
      mask.onEvent(event);
      // The log of the command ends here.
      if ('exit' in event) event.exit?.printed?.lines();
    },
  };
}

/**
 * Stores the output of commands in files. Prints a warning if that fails; for a run that is not recorded, only if it was
 * `requested`.
 */
export function keepLogs(
  io: Io,
  { run, session }: Recording,
  kind: LogKind,
  recorder: OutputRecorder | undefined,
  requested: boolean,
): void {
  if (run === null) {
    if (requested) printStderr(io, ['no logs are kept: the run is not recorded'], 'cli: warning: ');
    return;
  }
  const directory = logDirectory(runsDirectory(io).path, run);
  const problem = recorder?.keepLogs(directory, session, kind);
  if (problem !== undefined) printStderr(io, [`no logs are kept in ${directory}: ${problem}`], 'cli: warning: ');
}
