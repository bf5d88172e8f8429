import { baseEnvironment, markerName } from '../../../backend/process/base_environment.ts';
import { isAllowed, type CommandRunner } from '../../../backend/command_runner.ts';
import { execute } from '../../../backend/execute.ts';
import type { ConfirmationParts } from '../../../backend/confirmations.ts';
import type { RunJournal } from '../../../backend/run_journal.ts';
import type { Outcome, RunEvent } from '../../../backend/run_event.ts';
import { withCallerDirectory } from '../../driver/variables/caller_directory.ts';
import type { Plan, RunOp } from '../../../ir/plan.ts';
import { limitHeap } from '../../../backend/system/limit_heap.ts';
import { SharedStderr } from '../../../backend/outputs/shared_stderr.ts';
import { writeUnblocked } from '../../../backend/system/write_unblocked.ts';
import type { ShellRunner } from '../../../backend/process/shell_runner.ts';
import { continueLine } from '../../output/messages/continue_line.ts';
import { documentPieces, exitAfter } from '../../output/document.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { sameCommand } from '../../driver/flag_words.ts';
import { terminalColumns } from '../../output/terminal.ts';
import { EXIT, refuse, printStderr, type Io, type RunIo } from '../../output/io.ts';
import type { Prepared } from '../../driver/prepare_run.ts';
import { removeOldLogs, removeOldRuns, runsDirectory, type Recording } from '../../driver/recording/record_run.ts';
import { STORE_OUTPUT } from './store_output.ts';
import { planWriter } from './plan_writer.ts';
import { asksQuestions, loadPorts } from './run_ports.ts';
import { runResult } from './run_result.ts';
import { readUsualLater } from './usual_reader.ts';
import { openReporters } from '../../reporters/open_reporters.ts';
import { outputMode } from '../../reporters/output/output_mode.ts';
import type { UsualTimes } from '../../reporters/times/usual_text.ts';
import { shellWord } from '../../../base/shell_word.ts';

/** With more ops, faster starts of commands make up for the time to limit the heap. */
const MANY_OPS = 200;

/** The time from the announcement of the first command, which must not wait for the plan, in milliseconds. */
const AFTER_START = 5;

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
  return asksQuestions(plan)
    ? (await import('../../driver/questions.ts')).unansweredQuestions(io, plan, options, known)
    : [];
}

/** Prints the plan with `--debug`. */
export async function showPlan(io: Io, plan: Plan, { debug }: Options): Promise<void> {
  if (debug) printStderr(io, (await import('../../../ir/views/disassembly.ts')).disassemble(plan), 'debug: ');
}

/**
 * The parts of a run that may have begun on another machine: its runner, the command that resumes it, and an `io` that
 * prints nothing for replayed events, of which `onEvent` hears before the reporters.
 */
export type RunReplay = Readonly<{
  shown: (io: RunIo) => Io;
  goOn?: string;
  runner: (port: CommandRunner) => CommandRunner;
  /** Whether the queue of workers holds the locks of the plan. */
  isLocked: boolean;
  onEvent: (event: RunEvent) => void;
}>;

/** Begins a session; see `carryOut`. */
type SessionStart = Readonly<{
  known: RunJournal['known'];
  record: (marker: string) => Recording | undefined;
  onBegin?: ((shared: SharedStderr, run: string | null) => void) | undefined;
}>;

/**
 * Runs a plan, prints the result and returns the exit code. After an interruption, the process terminates itself with
 * the signal, so that a calling script stops too; the code is used only if the signal cannot terminate it.
 *
 * `known` returns the ops that do not run in this session. `record` begins the record of the run and receives the marker
 * variable of its processes. It returns undefined if the run must not start. `onBegin` is called after it. From then on,
 * signals interrupt the run, and have no default effect until the end of the process.
 */
export async function carryOut(
  given: Io,
  written: Prepared,
  options: Options,
  { known, record, onBegin }: SessionStart,
  replay: RunReplay = { shown: (io) => io, runner: (port) => port, isLocked: false, onEvent: () => undefined },
): Promise<number> {
  const prepared = { ...written, plan: withCallerDirectory(written.plan, given.env) };
  const { plan } = prepared;
  const io = { ...given, shared: new SharedStderr(given.stderr) };
  const hasLocks = !replay.isLocked && plan.calls.some(({ lock }) => lock !== undefined);
  const locks = hasLocks ? (await import('./open_locks.ts')).openLocks(io, plan, options, known) : undefined;
  const held = (await locks?.problems()) ?? [];
  if (held.length > 0) return refuse(io, held);
  const mode = outputMode(io, prepared, options);
  const ports = await loadPorts(io, prepared, options, mode);
  if (ports === undefined) return refuse(io, ['neither bash nor sh was found in PATH']);
  const marker = markerName(process.pid, process.hrtime.bigint());
  const fetched = await ports.fetchSecrets?.(marker, known);
  if (typeof fetched === 'number') return fetched || EXIT.cannotStart;
  if (fetched?.ok === false) return refuse(io, fetched.problems);
  const secrets = fetched?.value;
  let usual: UsualTimes | undefined;
  const observers = await openReporters(io, replay.shown(io), prepared, options, mode, () => usual);
  if (observers === undefined) return EXIT.cannotStart;
  const port = ports.open(marker, observers.recorder);
  const runner = replay.runner(port);
  const recording = record(marker);
  if (recording === undefined) return EXIT.cannotStart;
  const { run, session, journal } = recording;
  const hint = nextHint(io, options, recording, replay, mode.stored !== undefined);
  ports.keepLogs(recording, observers.recorder);
  const { logs } = observers.recorder ?? {};
  if (mode.onlyFailures && logs !== undefined) io.shared.mute(() => logs.isComplete);
  if (plan.ops.length > MANY_OPS) await limitHeap();
  onBegin?.(io.shared, run);
  const writePlan = planWriter(written, recording, runsDirectory(io).path);
  const isInterrupted = (): boolean => port.interruption !== undefined;
  // A resume has printed the id.
  observers.begin({ id: session === 1 ? run : null, known: journal.known, isInterrupted });
  secrets?.use(port);
  secrets?.onValue(observers.hide);
  let hasStarted = false;
  const observe = (event: RunEvent): void => {
    replay.onEvent(event);
    if (event.kind === 'started' && !hasStarted) {
      hasStarted = true;
      setTimeout(writePlan, AFTER_START).unref();
      if (!options.quiet) readUsualLater(given, written.plan, options, recording, (times) => (usual = times));
    }
    observers.onEvent(event);
  };
  const [base, strict] = [baseEnvironment(io.env, marker), options.strict];
  const { confirm: asking } = ports;
  const confirm = asking && ((parts: ConfirmationParts) => asking({ ...parts, beforeQuestion: writePlan }));
  const { beforeEnd } = observers;
  const settings = { base, strict, observe, beforeEnd, journal, confirm, checks: ports.checks, secrets };
  const executed = execute(plan, runner, { ...settings, locks: locks?.of(run, marker) }).catch((error: unknown) => {
    throw observers.masked(error);
  });
  const outcome = withSignal(await port.complete(executed), runner);
  recording.finish(outcome);
  writePlan();
  const problem = observers.onEnd(outcome);
  showRemnants(io, port);
  if (logs?.isComplete === false)
    printStderr(io, [`the output of steps could not be stored completely in ${logs.directory}`], 'cli: warning: ');
  if (!outcome.success) printStderr(io, hint(outcome), 'cli: ');
  const code = await port.unlessLate(printResult(io, plan, options, outcome, problem));
  if (typeof code === 'object') return io.die(outcome.interrupted ?? code.signal);
  printStderr(io, await removeOldRuns(io, recording), 'cli: ');
  await removeOldLogs(io, recording, observers.recorder?.logs?.size ?? 0);
  return outcome.interrupted === undefined ? code : io.die(outcome.interrupted);
}

/** The outcome with the last signal, which may have arrived after the last command. */
function withSignal(outcome: Outcome, { interruption }: CommandRunner): Outcome {
  return interruption === undefined ? outcome : { ...outcome, success: false, interrupted: interruption.signal };
}

/** Prints the result of a run, except with `--format text`; returns the exit code. */
async function printResult(
  io: Io,
  plan: Plan,
  options: Options,
  outcome: Outcome,
  code: number = outcome.success ? EXIT.ok : EXIT.no,
): Promise<number> {
  if (options.format === 'text') return code;
  const pieces = documentPieces(runResult(plan, outcome), options.pretty ? '  ' : '');
  return exitAfter(io, await writeUnblocked(io.stdout, pieces), code);
}

/** Names the processes that the run could not end, or the reason why it does not know them. */
function showRemnants(io: Io, { remnants, unlisted }: ShellRunner): void {
  if (unlisted !== undefined) {
    const what = 'only the commands themselves were signalled, and what they have started may still be running';
    printStderr(io, [`processes cannot be listed (${unlisted}): ${what}`], 'cli: ');
  }
  if (remnants.length === 0) return;
  const pids = `${remnants.slice(0, 10).join(', ')}${remnants.length > 10 ? ', …' : ''}`;
  const text = `processes of this run may still be running: killing them failed for 10 seconds (pid ${pids})`;
  printStderr(io, [text], 'cli: ');
}

/**
 * The next command after a failure: at a terminal with the run's id, elsewhere with a constant text, and not with
 * `--quiet`. To be called before the first step, which may replace the tool's files.
 */
function nextHint(io: Io, options: Options, recording: Recording, replay: RunReplay, storesOutput: boolean): NextHint {
  const isAtTerminal = terminalColumns(io.stderr) !== undefined;
  const { run, isComplete, isForeign } = recording;
  const which = isAtTerminal || isForeign ? run : '--last';
  const goOn = replay.goOn ?? (run === null ? undefined : `cli resume ${which}${isForeign ? ' --trust' : ''}`);
  const isQuiet = options.quiet;
  if (isQuiet && !isAtTerminal) return () => [];
  if (goOn !== undefined) {
    const storing = isAtTerminal && !isQuiet ? [STORE_OUTPUT] : [];
    const seeLater = storesOutput && run !== null ? [`to see why: cli runs show ${which}`] : storing;
    const mayLose = recording.session > 1 && replay.goOn === undefined;
    return (outcome) => [
      ...(hasFailedOutput(outcome) ? seeLater : []),
      ...(isComplete() ? [continueLine(failedSteps(outcome), goOn)] : []),
      ...(isComplete() && mayLose ? lostSteps(outcome) : []),
    ];
  }
  if (!isAtTerminal || options.watch.length > 0) return () => [];
  const again = `the run was not recorded; to run all of it again: ${sameCommand(options)}`;
  return ({ interrupted }) => (interrupted === undefined ? [again] : []);
}

function failedSteps({ steps }: Outcome): readonly RunOp[] {
  return steps.flatMap(({ op, exit, failed }) => (failed && !isAllowed(exit, op.options) ? op : []));
}

/** Whether a command that ran has failed, but for an interruption. A step that was declined has no output. */
function hasFailedOutput({ interrupted, steps, hooks }: Outcome): boolean {
  const hasFailed = steps.some(({ failed, exit }) => failed && exit.kind !== 'not started');
  return interrupted === undefined && (hasFailed || hooks.some(({ exitCode }) => exitCode !== 0));
}

type NextHint = (outcome: Outcome) => readonly string[];

/** The treatment by the next resume of steps that count as failed because they ran when the run was killed. */
function lostSteps({ steps }: Outcome): readonly string[] {
  const lost = steps.filter(({ exit }) => exit.kind === 'not started' && exit.isLost === true);
  return lost.map(
    ({ op: { name } }) => `this runs step '${name}' again; if it has finished, add --done ${shellWord(name)}`,
  );
}
