import { baseEnvironment, markerName } from '../backend/base_environment.ts';
import { execute, type Event, type Outcome } from '../backend/execute.ts';
import { findShell, type Shell } from '../backend/shell.ts';
import { shellPort } from '../backend/shell_port.ts';
import { outline } from '../ir/outline.ts';
import type { Plan } from '../ir/plan.ts';
import { preview } from '../ir/preview.ts';
import { planText } from '../ir/text.ts';
import { debugEvents } from './debug.ts';
import { printDocument } from './document.ts';
import { failureLine } from './failure.ts';
import { EXIT, say, type Io, type Options } from './io.ts';
import { readParams } from './params.ts';
import { prepare } from './prepare.ts';
import { runResult } from './run_result.ts';

/**
 * `workflow run`: gives the exit code. After an interruption the process ends by the signal, so
 * that a script which called us stops too, and the code is only for where a signal cannot end it.
 */
export async function run(io: Io, options: Options): Promise<number> {
  const [workflow = '', ...words] = options.words;
  const { params, problems } = readParams(words);
  const cannotStart = (lines: readonly string[]): number => {
    say(
      io,
      lines.map((line) => `cli: ${line}`),
    );
    return EXIT.cannotStart;
  };
  if (problems.length > 0) return cannotStart(problems);
  const plan = prepare(io, options.file, workflow, params);
  if (plan === undefined) return EXIT.cannotStart;
  const debug = (lines: Iterable<string>): void => {
    if (options.switches.has('debug')) for (const line of lines) say(io, [`debug: ${line}`]);
  };
  debug(planText(plan));
  if (options.switches.has('dry-run')) {
    say(io, outline(plan));
    return printDocument(io, preview(plan), options, EXIT.ok);
  }

  const shell = findShell(io.env['PATH']);
  if (shell === undefined) {
    return cannotStart(['found neither bash nor sh in PATH; commands need one of them']);
  }
  if (!hasWorkingDirectory()) {
    return cannotStart(['the current directory does not exist any more; change to one that does']);
  }
  debug([`shell ${[shell.file, ...shell.args].join(' ')}`]);
  const outcome = await runPlan(
    io,
    plan,
    shell,
    debugEvents(plan, (line) => debug([line])),
  );
  const { interrupted } = outcome;
  if (interrupted !== undefined) say(io, [`cli: interrupted by ${interrupted}`]);
  const exit = outcome.success ? EXIT.ok : EXIT.no;
  const code = printDocument(io, runResult(plan, outcome), options, exit);
  return interrupted === undefined ? code : io.die(interrupted);
}

/** Runs the plan in the shell; whatever happens, no process of a run that failed us is left. */
async function runPlan(
  io: Io,
  plan: Plan,
  shell: Shell,
  showDebug: (event: Event) => void,
): Promise<Outcome> {
  const marker = markerName(io.runId);
  const port = shellPort(shell, marker, io);
  const observe = (event: Event): void => {
    showDebug(event);
    const line = failureLine(plan, event);
    if (line !== undefined) say(io, [line]);
  };
  try {
    const outcome = await execute(plan, port, baseEnvironment(io.env, marker), observe);
    port.close();
    return outcome;
  } catch (error) {
    port.abandon();
    throw error;
  }
}

function hasWorkingDirectory(): boolean {
  try {
    process.cwd();
    return true;
  } catch {
    // The only way for it to fail is that the directory is gone.
    return false;
  }
}
