import { describeDamage } from '../../../driver/recording/find_run.ts';
import { endOf, type RecordedRun, isResumable, waitOf, type RunState } from '../../../../records/journal/journal.ts';
import { truncateLines } from '../../../../base/truncate.ts';
import { resumeCommand } from '../../../run_data/reports/run_document.ts';
import { lastOutput, logCommand } from '../../../run_data/last_output.ts';
import { shownPath } from '../../../command_line/redact.ts';
import type { ShownRun } from './run_text.ts';

/**
 * A recorded run to show. `name` is that by which commands find it, `runs` the directory of all runs, `left` the steps that
 * still run after it.
 */
export function shownRun(
  run: RecordedRun,
  state: RunState,
  name: string,
  runs: string,
  left: readonly string[],
): ShownRun {
  const last = run.sessions.at(-1);
  return {
    id: run.id,
    state,
    sessions: run.sessions.length,
    isOver: last !== undefined && endOf(last) !== undefined,
    now: Date.now(),
    reasons: [
      ...reasonsOf(run, state, name),
      ...(left.length === 0 ? [] : [`left running: ${left.join(', ')}; a resume ends steps in the background`]),
    ],
    goOn: resumeCommand(run, name),
    outputOf: ({ commands, path }) => {
      const command = commands.at(-1);
      const output = command === undefined ? undefined : lastOutput(runs, run, command);
      if (output === undefined) return [`its output is not stored: ${isResumable(run) ? 'resume' : 'run'} with --logs`];
      if ('problem' in output) return [`its output is ${output.problem}`];
      if (output.lines.length === 0) return ['it has printed nothing'];
      const { failure, lines, isWhole } = output;
      return [
        ...(failure === undefined ? [] : [`the first failure, in line ${failure.line}:`, ...failure.lines.map(quoted)]),
        ...(failure === undefined ? [] : [`the last ${lines.length} lines:`]),
        ...lines.map(quoted),
        `output: ${shownPath(output.path)}`,
        ...(isWhole ? [] : [`all of it: ${logCommand(name, path)}`]),
      ];
    },
  };
}

const quoted = (line: string): string => `| ${line}`;

/** The meaning of a state, unless the steps show it. */
function reasonsOf(run: RecordedRun, state: RunState, name: string): readonly string[] {
  const last = run.sessions.at(-1);
  const reasons: Readonly<Partial<Record<RunState, string | undefined>>> = {
    waiting: describeWait(run),
    crashed: 'its process ended without recording an end',
    lost: 'its record could not be written completely; it cannot be resumed',
    unclear: `it may still be running on ${last?.header.host} (process ${last?.header.pid}); if not: cli resume ${name} --take-over`,
    stopped: 'a part of the workflow was selected; other steps are left',
    damaged: run.damage === null ? '' : describeDamage(run),
    interrupted: `by ${last && endOf(last)?.interrupted}`,
  };
  const reason = reasons[state];
  const foreign = 'the record is foreign: this user did not write it on this machine';
  return [...(reason === undefined ? [] : [reason]), ...(run.foreign ? [foreign] : [])];
}

function describeWait(run: RecordedRun): string | undefined {
  const wait = waitOf(run);
  if (wait === undefined) return undefined;
  if ('question' in wait) return `for an answer at its terminal: ${truncateLines(wait.question)}`;
  const { lock, run: holder } = wait.waits_for;
  return `for the lock '${truncateLines(lock)}'${holder === null ? '' : `, which run ${holder} holds`}`;
}
