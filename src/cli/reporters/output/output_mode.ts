import type { Options } from '../../command_line/parse_command_line.ts';
import type { Prepared } from '../../driver/prepare_run.ts';
import { isUnrecorded } from '../../driver/recording/record_run.ts';
import type { Io } from '../../output/io.ts';
import { isOff } from '../../../base/boolean_value.ts';
import { isTerminal } from '../../output/terminal.ts';
import type { LogKind } from '../../../backend/outputs/logs/stored_logs.ts';

/** The values of `CLI_LOGS` with which nothing is stored. An empty one counts as unset. */
const NO: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off']);

/** How the output of commands is stored; undefined if it is not. */
type StoredOutput = LogKind | undefined;

/**
 * How the output of commands is stored: by flag, else by the field of the workflow, else by the environment. By default,
 * it is stored where steps have no terminal to lose, unless a CI service keeps the log. `off` if something turns it off.
 */
function storedOutput(io: Io, { logs, masksLogs }: Prepared, options: Options): StoredOutput | 'off' {
  if (masksLogs === true) return 'masked';
  const given = io.env['CLI_LOGS'] ?? '';
  const asked = options.logs || options.noLogs ? options.logs : (logs ?? (given === '' ? undefined : !NO.has(given)));
  if (asked !== undefined) return asked ? 'whole' : 'off';
  const isDefault = !isTerminal(io.stderr) && isOff(io.env, 'CI') && !isUnrecorded(io, options);
  return isDefault ? 'limited' : undefined;
}

/**
 * The variables that name a coding agent in the environment of its shell, as in std-env 4.3 (src/agents.ts), without
 * variables that a person may set as well, such as REPL_ID, PATH and EDITOR.
 */
export const AGENTS = [
  'AI_AGENT',
  'CLAUDECODE',
  'CLAUDE_CODE',
  'GEMINI_CLI',
  'CODEX_SANDBOX',
  'CODEX_THREAD_ID',
  'CURSOR_AGENT',
  'OPENCODE',
  'AUGMENT_AGENT',
];

/** The variable that chooses the mode. */
const VARIABLE = 'CLI_OUTPUT_MODE';

const MODES: ReadonlySet<string> = new Set(['all', 'failures']);

/** The numbers of lines of output that are printed of a failed command, and of a failure that is allowed. */
export const [FAILED_LINES, ALLOWED_LINES] = [40, 10] as const;

/** How much of the output of commands is printed, the variable that has chosen it, and how the output is stored. */
export type OutputMode = Readonly<{ onlyFailures: boolean; chosenBy: string | undefined; stored: StoredOutput }>;

/** The problem with the variable that chooses the mode. */
export function outputProblem({ env }: Io): string | undefined {
  const given = env[VARIABLE] ?? '';
  return given === '' || MODES.has(given) ? undefined : `${VARIABLE} must be 'all' or 'failures'`;
}

/**
 * Without a log, and with `--quiet`, all output is printed. `failures` is the default for a coding agent. Where it is asked
 * for, output is stored in CI and at a terminal, too.
 */
export function outputMode(io: Io, prepared: Prepared, options: Options): OutputMode {
  const { env, stderr } = io;
  const stored = storedOutput(io, prepared, options);
  const all = { onlyFailures: false, chosenBy: undefined, stored: stored === 'off' ? undefined : stored };
  if (options.quiet || stored === 'masked' || stored === 'off' || isUnrecorded(io, options)) return all;
  const variable = env[VARIABLE] ? VARIABLE : undefined;
  const given = options.output ?? (env[VARIABLE] || undefined);
  const isInCi = !isOff(env, 'CI');
  const agent = isInCi || isTerminal(stderr) ? undefined : AGENTS.find((name) => env[name]);
  if ((given ?? (agent && 'failures')) !== 'failures') return all;
  const chosenBy = options.output === undefined ? (variable ?? agent) : undefined;
  return { onlyFailures: true, chosenBy, stored: stored ?? 'limited' };
}
