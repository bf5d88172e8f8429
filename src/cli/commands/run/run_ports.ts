import type { MemberLines } from '../../../backend/outputs/branch_output.ts';
import type { OutputRecorder } from '../../../backend/outputs/output_recorder.ts';
import { findShell, withArguments } from '../../../backend/system/find_shell.ts';
import { ShellRunner } from '../../../backend/process/shell_runner.ts';
import { systemTable } from '../../../backend/process/table/system_table.ts';
import type { RunSettings } from '../../../backend/run_settings.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import type { Recording } from '../../driver/recording/record_run.ts';
import type { Prepared } from '../../driver/prepare_run.ts';
import { isCheck } from '../../../ir/ops.ts';
import type { Plan } from '../../../ir/plan.ts';
import { escapeForTerminal } from '../../output/escape.ts';
import type { RunJournal } from '../../../backend/run_journal.ts';
import type { SessionSecrets } from '../../../backend/secrets/session_secrets.ts';
import { printStderr, type RunIo } from '../../output/io.ts';
import type { Result } from '../../../base/result.ts';
import { progressStyle } from '../../reporters/open_reporters.ts';
import type { OutputMode } from '../../reporters/output/output_mode.ts';
import { truncateLabel } from '../../../base/truncate.ts';

/**
 * The parts of the system that a run needs. `fetchSecrets` is called before its record begins, for a plan with secrets,
 * and `open`, from which on signals interrupt the run. `keepLogs` is called once the record has begun.
 */
export type RunPorts = Readonly<{
  confirm: RunSettings['confirm'];
  checks: RunSettings['checks'];
  fetchSecrets: ((marker: string, known: RunJournal['known']) => Promise<Result<SessionSecrets> | number>) | undefined;
  open: (marker: string, recorder: OutputRecorder | undefined) => ShellRunner;
  keepLogs: (recording: Recording, recorder: OutputRecorder | undefined) => void;
}>;

/** Loads the ports of a run, before its first step, which may replace the tool's files. Undefined if there is no shell. */
export async function loadPorts(
  io: RunIo,
  prepared: Prepared,
  options: Options,
  { stored }: OutputMode,
): Promise<RunPorts | undefined> {
  const { plan } = prepared;
  const found = findShell(io.env['PATH']);
  if (found === undefined) return undefined;
  const { args, debug } = options;
  if (debug) printStderr(io, [[found.file, ...found.args].join(' ')], 'debug: shell ');
  const captures = plan.ops.some((op) => op.kind === 'run' && op.options.outputs.length > 0);
  const hasBackground = plan.ops.some(({ kind }) => kind === 'stop');
  const hasBranches = hasBackground || plan.ops.some(({ kind }) => kind === 'parallel');
  const parts = {
    stdin: io.stdin,
    stderr: io.shared,
    shell: withArguments(found, args),
    capture: captures ? (await import('../../../backend/outputs/capture.ts')).capture : undefined,
    table: await systemTable(),
    output: hasBranches
      ? (await import('../../../backend/outputs/branch_output.ts')).createRunOutput(
          io.shared,
          await memberLines(io, plan, options),
        )
      : undefined,
    watchReadiness: hasBackground ? (await import('../../../backend/process/readiness.ts')).watchReadiness : undefined,
  };
  const secrets = plan.secrets === undefined ? undefined : await import('./fetch_secrets.ts');
  const say = (line: string): unknown => options.quiet || printStderr(io, [line], 'cli: ');
  const warn = (line: string): void => printStderr(io, [line], 'cli: warning: ');
  const logs = stored === undefined ? undefined : await import('../../reporters/output/keep_output.ts');
  return {
    confirm: asksQuestions(plan) ? (await import('../../driver/questions.ts')).confirmations(io, options) : undefined,
    checks: plan.ops.some(isCheck)
      ? (await import('../../run_data/check_states.ts')).openChecks(io, prepared, options, { say, warn })
      : undefined,
    fetchSecrets:
      secrets &&
      ((marker, known) =>
        secrets.fetchSecrets(io, plan, known, () => new ShellRunner({ ...parts, output: undefined, marker }))),
    open: (marker, recorder) => new ShellRunner({ ...parts, marker, recorder }),
    keepLogs: (recording, recorder) =>
      stored === undefined ? undefined : logs?.keepLogs(io, recording, stored, recorder, options.logs),
  };
}

/** The lines of a group's members: with the title of the member at a terminal, elsewhere with its name in the plan. */
async function memberLines(io: RunIo, plan: Plan, options: Options): Promise<MemberLines> {
  const style = progressStyle(io, options);
  if (style !== undefined && style.service === undefined)
    return (await import('./terminal_members.ts')).terminalMembers(plan, style, options.quiet);
  return { prefixOf: ({ name }) => `${escapeForTerminal(truncateLabel(name))} │ ` };
}

/** Whether a step of the plan asks a question. */
export function asksQuestions({ ops }: Plan): boolean {
  return ops.some((op) => op.kind === 'run' && op.options.confirm !== null);
}
