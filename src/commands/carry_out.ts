import { isAbsolute, join } from 'node:path';
import { isatty } from 'node:tty';
import { baseEnvironment, markerName } from '../backend/process/base_environment.ts';
import { execute } from '../backend/execute.ts';
import type { Outcome, RunEvent } from '../backend/run_event.ts';
import type { Plan } from '../ir/plan.ts';
import { findShell, withArguments } from '../backend/process/find_shell.ts';
import { procTable } from '../backend/process/process_table.ts';
import { ShellRunner } from '../backend/process/shell_runner.ts';
import { printDocument } from '../output/document.ts';
import type { Options } from '../command_line/parse.ts';
import { terminalColumns } from '../output/terminal_width.ts';
import { EXIT, refuse, say, type Io } from '../output/io.ts';
import { serviceOf } from '../output/service.ts';
import type { Prepared } from '../driver/prepare.ts';
import { removeOldRuns, type Recording } from '../driver/runs/record_run.ts';
import { runResult } from './run_result.ts';
import { FailureText } from '../reporters/failure_text.ts';
import { createReporters } from '../reporters/create.ts';

/** Why a report is impossible; undefined if it is not, or none is wanted. */
export function reportProblem(io: Io, options: Options): string | undefined {
  const { values, switches } = options;
  const path = values.get('report');
  if (path === '-') return "'--report' needs a file: standard output holds the result";
  if (path !== undefined && switches.has('dry-run')) return "'--report' cannot be used with '--dry-run'";
  const lines = reportLines(io, options);
  return typeof lines === 'string' ? lines : undefined;
}

/** Prints the plan with `--debug`. */
export async function showPlan(io: Io, plan: Plan, { switches }: Options): Promise<void> {
  if (switches.has('debug')) say(io, (await import('../ir/views/disassembly.ts')).disassemble(plan), 'debug: ');
}

/**
 * Runs a plan and prints the result; returns the exit code. After an interruption the process ends with the signal, so
 * that a calling script stops too; the code is used only if the signal cannot end it.
 *
 * `record` begins the record of the run, whose processes have a variable of that name; undefined if it was refused.
 */
export async function carryOut(
  io: Io,
  prepared: Prepared,
  options: Options,
  record: (marker: string) => Recording | undefined,
): Promise<number> {
  const { plan, startDirectory } = prepared;
  const given = options.values.get('report');
  const path = given === undefined || isAbsolute(given) ? given : join(startDirectory, given);
  const debug = options.switches.has('debug');
  const shell = findShell(io.env['PATH']);
  if (shell === undefined) return refuse(io, ['neither bash nor sh was found in PATH']);
  if (debug) say(io, [[shell.file, ...shell.args].join(' ')], 'debug: shell ');
  const text = new FailureText(prepared, io.env);
  const report =
    path === undefined
      ? undefined
      : await (await import('../reporters/file/report_file.ts')).openReport(io, prepared, path, text);
  if (path !== undefined && report === undefined) return EXIT.cannotStart;
  const marker = markerName(process.pid, process.hrtime.bigint());
  const recording = record(marker);
  if (recording === undefined) return EXIT.cannotStart;
  if (debug && recording.run !== null) say(io, [`run ${recording.run}`], 'cli: ');
  const captures = plan.ops.some((op) => op.kind === 'run' && op.options.outputs.length > 0);
  const capture = captures ? (await import('../backend/outputs/capture.ts')).capture : undefined;
  const table = process.platform === 'linux' ? procTable : (await import('../backend/process/ps_table.ts')).psTable;
  const hasGroups = plan.ops.some(({ kind }) => kind === 'parallel');
  const output = hasGroups
    ? (await import('../backend/outputs/branch_output.ts')).createRunOutput(io.stderr)
    : undefined;
  const lines = reportLines(io, options);
  const recorded =
    typeof lines === 'number' && lines > 0
      ? (await import('../reporters/record_output.ts')).recordOutput(io, plan, lines)
      : undefined;
  const recorder = recorded?.recorder;
  const commands = withArguments(shell, options.args);
  const port = new ShellRunner({ shell: commands, marker, descriptors: io, table, capture, output, recorder });
  const isPassed = (op: number): boolean => {
    const known = recording.journal.known(op)?.kind;
    return known === 'finished' || known === 'left out';
  };
  const isInterrupted = (): boolean => port.interruption !== undefined;
  const reporters = await createReporters(io, { prepared, text, isInterrupted, isPassed }, options);
  const base = baseEnvironment(io.env, marker);
  const observe = (event: RunEvent): void => {
    recorded?.onEvent(event);
    report?.onEvent(event);
    output?.breakLine();
    for (const { onEvent } of reporters) onEvent(event);
  };
  const run = execute(plan, port, {
    base,
    strict: options.switches.has('strict'),
    observe,
    journal: recording.journal,
  });
  const outcome = await port.finish(run);
  recording.finish(outcome);
  const { interrupted } = outcome;
  for (const { onEnd } of reporters) onEnd(outcome);
  const { remnants } = port;
  if (remnants.length > 0) {
    const pids = `${remnants.slice(0, 10).join(', ')}${remnants.length > 10 ? ', …' : ''}`;
    say(io, [`processes of this run may still be running: killing them failed for 10 seconds (pid ${pids})`], 'cli: ');
  }
  showResume(io, options, recording, outcome);
  const isLost = report?.write(outcome) === false;
  const exit = isLost ? EXIT.notWritten : outcome.success ? EXIT.ok : EXIT.no;
  const isText = options.values.get('format') === 'text';
  const code = isText ? exit : printDocument(io, runResult(plan, outcome), options, exit);
  await removeOldRuns(io, recording);
  return interrupted === undefined ? code : io.die(interrupted);
}

/** Says how to go on after a failure: at a terminal with the id, elsewhere with the same words in every run. */
function showResume(io: Io, { switches }: Options, { run, isComplete }: Recording, { success }: Outcome): void {
  if (success || run === null || !isComplete() || switches.has('quiet')) return;
  const which = terminalColumns(io.stderr) === undefined ? '--last' : run;
  say(io, [`to go on: cli resume ${which}`], 'cli: ');
}

/** The lines of each command that a report keeps, and the most that it can keep. */
const [DEFAULT_LINES, MAX_LINES] = [50, 10_000];

/**
 * The number of lines to record: none without a report or a job summary of GitHub. At a terminal, steps keep it, so there
 * are none unless `--report-lines` asks for them. A text is the problem with that flag.
 */
function reportLines(io: Io, { values, switches }: Options): number | string {
  const given = values.get('report-lines');
  const hasSummary = Boolean(io.env['GITHUB_STEP_SUMMARY']) && !switches.has('no-ci') && serviceOf(io) === 'github';
  const isReported = values.has('report') || hasSummary;
  if (given === undefined) return isReported && !isatty(io.stderr) ? DEFAULT_LINES : 0;
  if (!isReported) return "'--report-lines' needs '--report'";
  const isNumber = /^\d{1,5}$/.test(given) && Number(given) <= MAX_LINES;
  return isNumber ? Number(given) : `'--report-lines' must be a number from 0 to ${MAX_LINES}`;
}
