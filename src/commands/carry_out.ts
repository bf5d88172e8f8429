import { isAbsolute, join } from 'node:path';
import { isatty } from 'node:tty';
import { baseEnvironment, markerName } from '../backend/process/base_environment.ts';
import type { CommandRunner } from '../backend/command_runner.ts';
import { execute } from '../backend/execute.ts';
import type { RunJournal } from '../backend/run_journal.ts';
import type { RunEvent } from '../backend/run_event.ts';
import type { Plan } from '../ir/plan.ts';
import type { CommandLogs } from '../backend/outputs/command_logs.ts';
import { logDirectory, logName } from '../journal/directory/log_names.ts';
import { findShell, withArguments } from '../backend/process/find_shell.ts';
import { procTable } from '../backend/process/process_table.ts';
import { ShellRunner } from '../backend/process/shell_runner.ts';
import { printDocument } from '../output/document.ts';
import type { Options } from '../command_line/parse.ts';
import { terminalColumns } from '../output/terminal_width.ts';
import { EXIT, refuse, printStderr, type Io } from '../output/io.ts';
import { escapeForTerminal } from '../output/escape.ts';
import { serviceOf } from '../output/service.ts';
import type { Prepared } from '../driver/prepare.ts';
import { removeOldRuns, runsDirectory, type Recording } from '../driver/runs/record_run.ts';
import { runResult } from './run_result.ts';
import { FailureText } from '../reporters/failure_text.ts';
import { createReporters } from '../reporters/create.ts';
import { OpResults } from '../reporters/op_results.ts';
import type { EventTarget } from '../reporters/events/event_file.ts';

/** Problems with `--report` and `--events`; undefined if there are none. */
export function reportProblem(io: Io, options: Options): string | undefined {
  const { lists, switches } = options;
  const paths = lists.get('report') ?? [];
  if (paths.includes('-')) return "'--report' needs a file: standard output holds the result";
  if (paths.length > 0 && switches.has('dry-run')) return "'--report' cannot be used with '--dry-run'";
  const lines = reportLines(io, options);
  return typeof lines === 'string' ? lines : eventsProblem(options);
}

function eventsProblem({ values, switches }: Options): string | undefined {
  const given = values.get('events');
  if (given === '-') return "'--events' needs a file or a descriptor such as fd:3: standard output holds the result";
  if (given !== undefined && switches.has('dry-run')) return "'--events' cannot be used with '--dry-run'";
  return given?.startsWith('fd:') !== true || EVENT_DESCRIPTOR.test(given)
    ? undefined
    : "'--events' takes a descriptor from fd:3 to fd:15";
}

/** Node.js hides descriptors up to 15 from steps, even if the numbers have gaps. */
const EVENT_DESCRIPTOR = /^fd:([3-9]|1[0-5])$/;

/** The target of `--events`; undefined without the flag. */
function eventTarget({ values }: Options, startDirectory: string): EventTarget | undefined {
  const given = values.get('events');
  const [, descriptor] = EVENT_DESCRIPTOR.exec(given ?? '') ?? [];
  if (descriptor !== undefined) return { descriptor: Number(descriptor) };
  return given === undefined ? undefined : { path: pathFrom(startDirectory, given) };
}

function pathFrom(startDirectory: string, given: string): string {
  return isAbsolute(given) ? given : join(startDirectory, given);
}

/**
 * Errors for questions that certainly come up in a run without a terminal. `known` returns the ops that do not run in
 * this session.
 */
export async function confirmProblems(
  io: Io,
  plan: Plan,
  options: Options,
  known: RunJournal['known'],
): Promise<readonly string[]> {
  if (!asksQuestions(plan)) return [];
  const { confirmSettings, unansweredQuestions } = await import('../driver/runs/confirmation.ts');
  return confirmSettings(io, options).kind === 'refused' ? unansweredQuestions(plan, known) : [];
}

function asksQuestions({ ops }: Plan): boolean {
  return ops.some((op) => op.kind === 'run' && op.options.confirm !== null);
}

/** Prints the plan with `--debug`. */
export async function showPlan(io: Io, plan: Plan, { switches }: Options): Promise<void> {
  if (switches.has('debug')) printStderr(io, (await import('../ir/views/disassembly.ts')).disassemble(plan), 'debug: ');
}

/**
 * The parts of a run that may have begun on another machine: its runner, the command that resumes it, and an `io` that
 * prints nothing for replayed events, of which `onEvent` hears before the reporters.
 */
export type RunReplay = Readonly<{
  io: Io;
  goOn?: string;
  runner: (port: CommandRunner) => CommandRunner;
  onEvent: (event: RunEvent) => void;
}>;

/**
 * Runs a plan, prints the result and returns the exit code. After an interruption, the process terminates itself with
 * the signal, so that a calling script stops too; the code is used only if the signal cannot terminate it.
 *
 * `record` begins the record of the run and receives the marker variable of its processes. It returns undefined if the
 * run must not start.
 */
export async function carryOut(
  io: Io,
  prepared: Prepared,
  options: Options,
  record: (marker: string) => Recording | undefined,
  replay: RunReplay = { io, runner: (port) => port, onEvent: () => undefined },
): Promise<number> {
  const { plan, startDirectory } = prepared;
  const paths = (options.lists.get('report') ?? []).map((path) => pathFrom(startDirectory, path));
  const debug = options.switches.has('debug');
  const shell = findShell(io.env['PATH']);
  if (shell === undefined) return refuse(io, ['neither bash nor sh was found in PATH']);
  if (debug) printStderr(io, [[shell.file, ...shell.args].join(' ')], 'debug: shell ');
  const text = new FailureText(prepared, io.env);
  const report =
    paths.length === 0
      ? undefined
      : await (await import('../reporters/file/report_file.ts')).openReports(io, prepared, paths, text);
  if (paths.length > 0 && report === undefined) return EXIT.cannotStart;
  const target = eventTarget(options, startDirectory);
  const events =
    target === undefined
      ? undefined
      : (await import('../reporters/events/event_file.ts')).openEvents(io, target, { prepared, text, reports: paths });
  if (target !== undefined && events === undefined) return EXIT.cannotStart;
  const marker = markerName(process.pid, process.hrtime.bigint());
  const recording = record(marker);
  if (recording === undefined) return EXIT.cannotStart;
  if (debug && recording.run !== null) printStderr(io, [`run ${recording.run}`], 'cli: ');
  const captures = plan.ops.some((op) => op.kind === 'run' && op.options.outputs.length > 0);
  const capture = captures ? (await import('../backend/outputs/capture.ts')).capture : undefined;
  const table = process.platform === 'linux' ? procTable : (await import('../backend/process/ps_table.ts')).psTable;
  const hasGroups = plan.ops.some(({ kind }) => kind === 'parallel');
  const output = hasGroups
    ? (await import('../backend/outputs/branch_output.ts')).createRunOutput(io.stderr, escapeForTerminal)
    : undefined;
  const lines = reportLines(io, options);
  const recorded =
    typeof lines === 'number' && lines > 0
      ? (await import('../reporters/record_output.ts')).recordOutput(io, plan, lines)
      : undefined;
  const recorder = recorded?.recorder;
  const logs = options.switches.has('logs') ? await openLogs(io, recording) : undefined;
  const commands = withArguments(shell, options.args);
  const port = new ShellRunner({ shell: commands, marker, descriptors: io, table, capture, output, recorder, logs });
  const results = new OpResults(plan, recording.journal.known);
  const isInterrupted = (): boolean => port.interruption !== undefined;
  // A resume has printed the id.
  const id = recording.session === 1 ? recording.run : null;
  const reporters = await createReporters(replay.io, { id, prepared, text, isInterrupted, results }, options);
  if (events !== undefined) reporters.push(events.reporter(results));
  const base = baseEnvironment(io.env, marker);
  const observe = (event: RunEvent): void => {
    replay.onEvent(event);
    recorded?.onEvent(event);
    output?.breakLine();
    const change = results.follow(event);
    for (const { onEvent } of reporters) onEvent(change);
  };
  const confirm = asksQuestions(plan)
    ? (await import('../driver/runs/confirmation.ts')).confirmSettings(io, options)
    : ({ kind: 'yes' } as const);
  const run = execute(plan, replay.runner(port), {
    base,
    strict: options.switches.has('strict'),
    observe,
    journal: recording.journal,
    confirm,
  });
  const outcome = await port.finish(run);
  recording.finish(outcome);
  const { interrupted } = outcome;
  const unreached = results.finish(outcome);
  for (const { onEnd } of reporters) onEnd(outcome, unreached);
  const { remnants } = port;
  if (remnants.length > 0) {
    const pids = `${remnants.slice(0, 10).join(', ')}${remnants.length > 10 ? ', …' : ''}`;
    printStderr(
      io,
      [`processes of this run may still be running: killing them failed for 10 seconds (pid ${pids})`],
      'cli: ',
    );
  }
  if (!outcome.success) showResume(io, options, recording, replay);
  const isLost = report?.(results, outcome) === false;
  const exit = isLost ? EXIT.notWritten : outcome.success ? EXIT.ok : EXIT.no;
  const isText = options.values.get('format') === 'text';
  const code = isText ? exit : printDocument(io, runResult(plan, outcome), options, exit);
  await removeOldRuns(io, recording);
  return interrupted === undefined ? code : io.die(interrupted);
}

/** Opens the log files of commands. Returns undefined after a warning if that fails. */
async function openLogs(io: Io, { run, session }: Recording): Promise<CommandLogs | undefined> {
  if (run === null) return printStderr(io, ['no logs are kept: the run is not recorded'], 'cli: warning: ');
  const { CommandLogs } = await import('../backend/outputs/command_logs.ts');
  const logs = CommandLogs.create(logDirectory(runsDirectory(io), run), (command) => logName(session, command));
  return typeof logs === 'string' ? printStderr(io, [`no logs are kept: ${logs}`], 'cli: warning: ') : logs;
}

/** Prints how to resume after a failure: at a terminal with the run's id, elsewhere with a text that never varies. */
function showResume(io: Io, { switches }: Options, recording: Recording, replay: RunReplay): void {
  const { run, isComplete } = recording;
  if (!isComplete() || switches.has('quiet')) return;
  const which = terminalColumns(io.stderr) === undefined ? '--last' : run;
  const goOn = replay.goOn ?? (run === null ? undefined : `cli resume ${which}`);
  if (goOn !== undefined) printStderr(io, [`to continue: ${goOn}`], 'cli: ');
}

/** The default number of lines per command in a report, and the maximum. */
const [DEFAULT_LINES, MAX_LINES] = [50, 10_000];

/**
 * The number of lines to record per command: 0 without a report or a job summary of GitHub. At a terminal, commands
 * keep their terminal, so nothing is recorded unless `--report-lines` is given. Returns a text for an invalid flag.
 */
function reportLines(io: Io, { values, switches }: Options): number | string {
  const given = values.get('report-lines');
  const hasSummary = Boolean(io.env['GITHUB_STEP_SUMMARY']) && !switches.has('no-ci') && serviceOf(io) === 'github';
  const isReported = values.has('report') || hasSummary;
  if (given === undefined) return isReported && !isatty(io.stderr) ? DEFAULT_LINES : 0;
  if (!isReported && !values.has('events')) return "'--report-lines' needs '--report' or '--events'";
  const isNumber = /^\d{1,5}$/.test(given) && Number(given) <= MAX_LINES;
  return isNumber ? Number(given) : `'--report-lines' must be a number from 0 to ${MAX_LINES}`;
}
