import { isAbsolute, join } from 'node:path';
import type { Options } from '../command_line/parse_command_line.ts';
import type { Io } from '../output/io.ts';
import { serviceOf } from '../output/style.ts';
import { outputProblem } from './output/output_mode.ts';
import { isTerminal } from '../output/terminal.ts';

/** Problems with `--report`, `--events` and `CLI_OUTPUT_MODE`; undefined if there are none. */
export function reportProblem(io: Io, options: Options): string | undefined {
  const { report, dryRun } = options;
  if (report.includes('-')) return "'--report' needs a file: standard output holds the result";
  if (report.length > 0 && dryRun) return "'--report' cannot be used with '--dry-run'";
  const lines = reportLines(io, options);
  return typeof lines === 'string' ? lines : (eventsProblem(options) ?? outputProblem(io));
}

function eventsProblem({ events: given, dryRun }: Options): string | undefined {
  if (given === '-') return "'--events' needs a file or a descriptor such as fd:3: standard output holds the result";
  if (given !== undefined && dryRun) return "'--events' cannot be used with '--dry-run'";
  return given?.startsWith('fd:') !== true || EVENT_DESCRIPTOR.test(given)
    ? undefined
    : "'--events' takes a descriptor from fd:3 to fd:15";
}

/** Node.js hides descriptors up to 15 from steps, even if the numbers have gaps. */
const EVENT_DESCRIPTOR = /^fd:([3-9]|1[0-5])$/;

/** The paths of `--report`. */
export function reportPaths({ report }: Options, startDirectory: string): string[] {
  return report.map((path) => pathFrom(startDirectory, path));
}

/** The target of `--events`: a file, or a descriptor that the caller has opened. */
export type EventTarget = Readonly<{ path: string } | { descriptor: number }>;

/** The target of `--events`; undefined without the flag. */
export function eventTarget({ events: given }: Options, startDirectory: string): EventTarget | undefined {
  const [, descriptor] = EVENT_DESCRIPTOR.exec(given ?? '') ?? [];
  if (descriptor !== undefined) return { descriptor: Number(descriptor) };
  return given === undefined ? undefined : { path: pathFrom(startDirectory, given) };
}

function pathFrom(startDirectory: string, given: string): string {
  return isAbsolute(given) ? given : join(startDirectory, given);
}

/** The default number of lines per command in a report, and the maximum. */
const [DEFAULT_LINES, MAX_LINES] = [50, 10_000];

/**
 * The number of lines to record per command: 0 without a report or a job summary of GitHub. At a terminal, commands
 * keep their terminal, so nothing is recorded unless `--report-lines` is given. Returns a text for an invalid flag.
 */
export function reportLines(io: Io, options: Options): number | string {
  const { noCi, report, events, reportLines: given } = options;
  const hasSummary = Boolean(io.env['GITHUB_STEP_SUMMARY']) && !noCi && serviceOf(io) === 'github';
  const isReported = report.length > 0 || hasSummary;
  if (given === undefined) return isReported && !isTerminal(io.stderr) ? DEFAULT_LINES : 0;
  if (!isReported && events === undefined) return "'--report-lines' needs '--report' or '--events'";
  const isNumber = /^\d{1,5}$/.test(given) && Number(given) <= MAX_LINES;
  return isNumber ? Number(given) : `'--report-lines' must be a number from 0 to ${MAX_LINES}`;
}
