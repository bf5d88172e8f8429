import { isAbsolute, join } from 'node:path';
import { isatty } from 'node:tty';
import { baseEnvironment, markerName } from '../backend/process/base_environment.ts';
import { execute } from '../backend/execute.ts';
import type { RunEvent } from '../backend/run_event.ts';
import { findShell, withArguments } from '../backend/process/find_shell.ts';
import { procTable } from '../backend/process/process_table.ts';
import { ShellRunner } from '../backend/process/shell_runner.ts';
import { printDocument } from '../output/document.ts';
import type { Options } from '../command_line/parse.ts';
import { EXIT, refuse, say, type Io } from '../output/io.ts';
import { serviceOf } from '../output/service.ts';
import { prepareRun } from '../driver/prepare.ts';
import { runResult } from './run_result.ts';
import { FailureText } from '../reporters/failure_text.ts';
import { createReporters } from '../reporters/create.ts';

/**
 * `workflow run`: returns the exit code. After an interruption the process ends with the signal, so that a calling
 * script stops too; the code is used only if the signal cannot end it.
 */
export async function run(io: Io, options: Options): Promise<number> {
  const given = options.values.get('report');
  const isDry = options.switches.has('dry-run');
  if (given === '-') return refuse(io, ["'--report' needs a file: standard output holds the result"]);
  if (given !== undefined && isDry) return refuse(io, ["'--report' cannot be used with '--dry-run'"]);
  const lines = reportLines(io, options);
  if (typeof lines === 'string') return refuse(io, [lines]);
  const prepared = await prepareRun(io, options);
  if (prepared === undefined) return EXIT.cannotStart;
  const { plan, startDirectory } = prepared;
  const path = given === undefined || isAbsolute(given) ? given : join(startDirectory, given);
  const debug = options.switches.has('debug');
  if (debug) say(io, (await import('../ir/views/disassembly.ts')).disassemble(plan), 'debug: ');
  if (isDry) return (await import('./dry_run.ts')).dryRun(io, plan, options);
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
  const captures = plan.ops.some((op) => op.kind === 'run' && op.options.outputs.length > 0);
  const capture = captures ? (await import('../backend/outputs/capture.ts')).capture : undefined;
  const hasGroups = plan.ops.some(({ kind }) => kind === 'parallel');
  const output = hasGroups
    ? (await import('../backend/outputs/branch_output.ts')).createRunOutput(io.stderr)
    : undefined;
  const table = process.platform === 'linux' ? procTable : (await import('../backend/process/ps_table.ts')).psTable;
  const recorded =
    lines > 0 ? (await import('../reporters/record_output.ts')).recordOutput(io, prepared.plan, lines) : undefined;
  const recorder = recorded?.recorder;
  const commands = withArguments(shell, options.args);
  const port = new ShellRunner({ shell: commands, marker, descriptors: io, table, capture, output, recorder });
  const reporters = await createReporters(io, prepared, text, options, () => port.interruption !== undefined);
  const base = baseEnvironment(io.env, marker);
  const observe = (event: RunEvent): void => {
    recorded?.onEvent(event);
    report?.onEvent(event);
    output?.breakLine();
    for (const { onEvent } of reporters) onEvent(event);
  };
  const run = execute(plan, port, { base, strict: options.switches.has('strict'), observe });
  const outcome = await port.finish(run);
  const { interrupted } = outcome;
  for (const { onEnd } of reporters) onEnd(outcome);
  const { remnants } = port;
  if (remnants.length > 0) {
    const pids = `${remnants.slice(0, 10).join(', ')}${remnants.length > 10 ? ', …' : ''}`;
    say(io, [`processes of this run may still be running: killing them failed for 10 seconds (pid ${pids})`], 'cli: ');
  }
  const isLost = report?.write(outcome) === false;
  const exit = isLost ? EXIT.notWritten : outcome.success ? EXIT.ok : EXIT.no;
  const isText = options.values.get('format') === 'text';
  const code = isText ? exit : printDocument(io, runResult(plan, outcome), options, exit);
  return interrupted === undefined ? code : io.die(interrupted);
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
