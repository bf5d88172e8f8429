import { baseEnvironment, markerName } from '../backend/base_environment.ts';
import { execute } from '../backend/execute.ts';
import { findShell } from '../backend/shell.ts';
import { shellPort } from '../backend/shell_port.ts';
import { printDocument } from './document.ts';
import { EXIT, refuse, say, type Io, type Options } from './io.ts';
import { narrator } from './narrate.ts';
import { prepare } from './prepare.ts';
import { runResult } from './run_result.ts';

/**
 * `workflow run`: gives the exit code. After an interruption the process ends by the signal, so
 * that a script which called us stops too, and the code is only for where a signal cannot end it.
 */
export async function run(io: Io, options: Options): Promise<number> {
  const plan = prepare(io, options)?.plan;
  if (plan === undefined) return EXIT.cannotStart;
  const debug = options.switches.has('debug');
  if (debug) say(io, (await import('../ir/text.ts')).planText(plan), 'debug: ');
  if (options.switches.has('dry-run')) return (await import('./dry_run.ts')).dryRun(io, plan, options);
  const shell = findShell(io.env['PATH']);
  if (shell === undefined) return refuse(io, ['found neither bash nor sh in PATH; commands need one of them']);
  if (debug) say(io, [[shell.file, ...shell.args].join(' ')], 'debug: shell ');
  const marker = markerName(process.pid, process.hrtime.bigint());
  const port = shellPort(shell, marker, io);
  const narrate = narrator(plan, debug);
  const base = baseEnvironment(io.env, marker);
  const run = execute(plan, port, base, (event) => say(io, narrate(event)));
  const outcome = await run.then(port.close, port.abandon);
  const { interrupted } = outcome;
  if (interrupted !== undefined) say(io, [`interrupted by ${interrupted}`], 'cli: ');
  const exit = outcome.success ? EXIT.ok : EXIT.no;
  const code = printDocument(io, runResult(plan, outcome), options, exit);
  return interrupted === undefined ? code : io.die(interrupted);
}
