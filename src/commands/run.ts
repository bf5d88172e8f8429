import { isAbsolute, join } from 'node:path';
import { baseEnvironment, markerName } from '../backend/process/base_environment.ts';
import { execute } from '../backend/execute.ts';
import type { RunEvent } from '../backend/run_event.ts';
import { findShell, withArguments } from '../backend/process/find_shell.ts';
import { procTable } from '../backend/process/process_table.ts';
import { ShellRunner } from '../backend/process/shell_runner.ts';
import { printDocument } from '../output/document.ts';
import type { Options } from '../command_line/parse.ts';
import { EXIT, refuse, say, type Io } from '../output/io.ts';
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
  const commands = withArguments(shell, options.args);
  const port = new ShellRunner({ shell: commands, marker, descriptors: io, table, capture, output });
  const reporters = await createReporters(io, prepared, text, options, () => port.interruption !== undefined);
  const base = baseEnvironment(io.env, marker);
  const observe = (event: RunEvent): void => {
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
