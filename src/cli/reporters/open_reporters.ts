import type { OutputRecorder } from '../../backend/outputs/output_recorder.ts';
import type { Outcome, RunEvent } from '../../backend/run_event.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import type { Prepared } from '../driver/prepare_run.ts';
import { isUnrecorded } from '../driver/recording/record_run.ts';
import { EXIT, type Io, type RunIo } from '../output/io.ts';
import { colourMode } from '../output/paint.ts';
import { isOff } from '../../base/boolean_value.ts';
import { serviceOf, type Service, type Style } from '../output/style.ts';
import { isTerminal, terminalColumns } from '../output/terminal.ts';
import { FailureText } from './failure_text.ts';
import { Titles } from './step_titles.ts';
import { maskedError, printBug } from './internal_error.ts';
import { OpResults, type BegunRun } from './op_results.ts';
import { plainReporter } from './plain_reporter.ts';
import { eventTarget, reportLines, reportPaths } from './report_flags.ts';
import type { ReportedRun, Reporter } from './reporter_type.ts';
import { secretValues } from './secret_mask.ts';
import { FAILED_LINES, type OutputMode } from './output/output_mode.ts';
import type { UsualTimesOf } from './times/usual_text.ts';

/** All that observes a run. `recorder` records the output of commands for the others. */
type Observers = Readonly<{
  recorder: OutputRecorder | undefined;
  begin: (run: BegunRun) => void;
  /** Receives the value of a secret before any command can print it. */
  hide: (value: string) => void;
  /** The end of an attempt, before it is recorded: its log is masked and closed. */
  beforeEnd: (event: RunEvent) => void;
  onEvent: (event: RunEvent) => void;
  /** Returns the exit code if a file could not be written or an observer failed, after an error message. */
  onEnd: (outcome: Outcome) => number | undefined;
  /** An error without the values of secrets. */
  masked: (error: unknown) => Error;
}>;

/**
 * Opens the files of a run, and loads the modules of all reporters before the first step, which may replace the tool's
 * files. `shown` is where the progress of the run is printed. Returns undefined after an error message.
 */
export async function openReporters(
  io: RunIo,
  shown: Io,
  prepared: Prepared,
  options: Options,
  mode: OutputMode,
  usual: UsualTimesOf = () => undefined,
): Promise<Observers | undefined> {
  // Not a number for an invalid flag, with which no run starts.
  const lines = Number(reportLines(io, options));
  const results = new OpResults(prepared.plan, lines);
  const [titles, text] = [new Titles(prepared.plan), new FailureText(prepared, io.env)];
  const run = { prepared, titles, text, results, usual };
  const files = await openFiles(io, run, options);
  if (files === undefined) return undefined;
  const reporters = [...(await openProgress(shown, run, options, mode)), ...files];
  const most = Math.max(lines, mode.onlyFailures ? FAILED_LINES + 1 : 0);
  const isStored = mode.stored !== undefined && !isUnrecorded(io, options);
  const recorded =
    isStored || lines > 0
      ? await (await import('./output/keep_output.ts')).recordOutput(io, prepared.plan, most)
      : undefined;
  const fetched: string[] = [];
  const masked = (error: unknown): Error => maskedError(error, [...secretValues(prepared.plan, io.env), ...fetched]);
  const failed = new Set<object>();
  /** An internal error of an observer ends neither the run nor the other observers. */
  const attempt = <Observer extends object, Result>(
    observer: Observer | undefined,
    call: (observer: Observer) => Result,
  ): Result | undefined => {
    const isFailed = observer !== undefined && failed.has(observer);
    // Without the recorder, secrets among later outputs would not be masked.
    if (observer === undefined || (isFailed && observer !== recorded)) return undefined;
    try {
      return call(observer);
    } catch (error) {
      failed.add(observer);
      return isFailed ? undefined : printBug(io, masked(error), options.debug);
    }
  };
  return {
    recorder: recorded?.recorder,
    begin: (begun) => {
      attempt(results, () => results.begin(begun));
      for (const reporter of reporters) attempt(reporter, ({ begin }) => begin?.(begun.id));
    },
    hide: (value) => {
      fetched.push(value);
      attempt(recorded, ({ hide }) => hide(value));
      for (const reporter of reporters) attempt(reporter, ({ hide }) => hide?.(value));
    },
    beforeEnd: (event) => attempt(recorded, ({ onEvent }) => onEvent(event)),
    onEvent: (event) => {
      attempt(recorded, ({ onEvent }) => onEvent(event));
      const change = attempt(results, () => results.follow(event));
      if (change === undefined) return;
      for (const reporter of reporters) attempt(reporter, ({ onEvent }) => onEvent?.(change));
    },
    onEnd: (outcome) => {
      const unreached = attempt(results, () => results.finish(outcome));
      const ends = reporters.map((reporter) => {
        return unreached && attempt(reporter, ({ onEnd }) => onEnd(outcome, unreached));
      });
      if (failed.size > 0) return EXIT.bug;
      return ends.includes(false) ? EXIT.notWritten : undefined;
    },
    masked,
  };
}

/** The files of `--report`, and the file or descriptor of `--events`, which must differ. */
async function openFiles(io: Io, run: ReportedRun, options: Options): Promise<Reporter[] | undefined> {
  const { startDirectory } = run.prepared;
  const [paths, target] = [reportPaths(options, startDirectory), eventTarget(options, startDirectory)];
  const files: Reporter[] = [];
  if (paths.length > 0) {
    const { openReports } = await import('./file/report_file.ts');
    const isLost = reportLines(io, options) === 0 && options.reportLines === undefined;
    const report = await openReports(io, run, paths, !isLost);
    if (report === undefined) return undefined;
    files.push(report);
  }
  if (target !== undefined) {
    const events = (await import('./events/event_file.ts')).openEvents(io, run, target, paths);
    if (events === undefined) return undefined;
    files.unshift(events);
  }
  return files;
}

/** Plain lines, or progress at a terminal and in the log of a CI service, and annotations for GitHub. */
async function openProgress(io: Io, run: ReportedRun, options: Options, mode: OutputMode): Promise<Reporter[]> {
  const style = mode.onlyFailures ? undefined : progressStyle(io, options);
  const main =
    style === undefined
      ? plainReporter(io, run, options, mode)
      : (await import('./terminal/terminal_reporter.ts')).terminalReporter(io, style, run, options);
  if (serviceFor(io, options) !== 'github') return [main];
  return [main, (await import('./github_reporter.ts')).githubReporter(io, run)];
}

function serviceFor(io: Io, { noCi }: Options): Service | undefined {
  return noCi ? undefined : serviceOf(io);
}

/** The style of a run's progress; undefined for plain lines. `--debug` and `--quiet` keep it only at a terminal. */
export function progressStyle(io: Io, options: Options): Style | undefined {
  const isPlain = options.debug || options.quiet;
  const style = styleOf(io, serviceFor(io, options));
  const isTerminal = style?.service === undefined && style?.columns !== undefined;
  return isPlain && !isTerminal ? undefined : style;
}

/**
 * The style of progress, or undefined for plain lines. `FORCE_COLOR` (https://force-color.org) overrides everything, as
 * in Node; `NO_COLOR` (https://no-color.org) removes only the colours.
 */
function styleOf({ env, stderr }: Io, service: Service | undefined): Style | undefined {
  const mode = colourMode(env);
  const isInteractive = mode === 'forced' || (isOff(env, 'CI') && env['TERM'] !== 'dumb' && isTerminal(stderr));
  if (!isInteractive) return service && { colour: false, signs: false, service, columns: undefined };
  // The Linux console has no glyphs for the signs.
  return { colour: mode !== 'off', signs: env['TERM'] !== 'linux', service, columns: terminalColumns(stderr) };
}
