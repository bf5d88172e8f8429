import type { LogKind } from '../../../backend/outputs/logs/stored_logs.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import type { Prepared } from '../../driver/prepare_run.ts';
import { isUnrecorded } from '../../driver/recording/record_run.ts';
import type { Io } from '../../output/io.ts';
import { isOff } from '../../../base/boolean_value.ts';
import { isTerminal } from '../../output/terminal.ts';

/** The values of `CLI_LOGS` with which nothing is stored. An empty one counts as unset. */
const NO: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off']);

/** How the output of commands is stored; undefined if it is not. */
export type StoredOutput = LogKind | undefined;

/**
 * How the output of commands is stored: by flag, else by the field of the workflow, else by the environment. By default,
 * it is stored where steps have no terminal to lose, unless a CI service keeps the log. `off` if something turns it off.
 */
export function storedOutput(io: Io, { logs, masksLogs }: Prepared, options: Options): StoredOutput | 'off' {
  if (masksLogs === true) return 'masked';
  const given = io.env['CLI_LOGS'] ?? '';
  const asked = options.logs || options.noLogs ? options.logs : (logs ?? (given === '' ? undefined : !NO.has(given)));
  if (asked !== undefined) return asked ? 'whole' : 'off';
  const isDefault = !isTerminal(io.stderr) && isOff(io.env, 'CI') && !isUnrecorded(io, options);
  return isDefault ? 'limited' : undefined;
}
