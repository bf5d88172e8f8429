import type { CommandLogs } from '../../backend/outputs/command_logs.ts';
import { OutputPipes } from '../../backend/outputs/output_pipes.ts';
import { OutputRecorder } from '../../backend/outputs/output_recorder.ts';
import { runsDirectory, type Recording } from '../driver/runs/record_run.ts';
import type { Plan } from '../../ir/plan.ts';
import { logDirectory, logName } from '../../records/journal/directory/file_names.ts';
import { printStderr, type Io, type RunIo } from '../output/io.ts';
import { SecretMask } from './secret_mask.ts';

/**
 * The recorder of a run's output. `onEvent` must be called before an event reaches a reporter, `hide` with each secret.
 */
type RunOutputRecorder = Readonly<{ recorder: OutputRecorder }> & Pick<SecretMask, 'hide' | 'onEvent'>;

/**
 * Records the last lines of each command of a run. Returns undefined after a warning if the system provides no pipe.
 */
export function recordOutput(io: RunIo, plan: Plan, lines: number): RunOutputRecorder | undefined {
  const pipes = OutputPipes.create();
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
 * Opens the log files of commands. Returns undefined after a warning if that fails. A run that is not recorded has none,
 * without a warning unless they were `requested` for it.
 */
export async function openLogs(
  io: Io,
  { run, session }: Recording,
  requested: boolean,
): Promise<CommandLogs | undefined> {
  if (run === null)
    return requested ? printStderr(io, ['no logs are kept: the run is not recorded'], 'cli: warning: ') : undefined;
  const { CommandLogs } = await import('../../backend/outputs/command_logs.ts');
  const directory = logDirectory(runsDirectory(io).path, run);
  const logs = CommandLogs.in(directory, (command) => logName(session, command));
  return typeof logs === 'string'
    ? printStderr(io, [`no logs are kept in ${directory}: ${logs}`], 'cli: warning: ')
    : logs;
}
