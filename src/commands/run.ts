import { baseEnvironment, markerName } from '../backend/base_environment.ts';
import { execute, type Event, type Outcome } from '../backend/execute.ts';
import { findShell, type Shell } from '../backend/shell.ts';
import { shellPort } from '../backend/shell_port.ts';
import { outline } from '../ir/outline.ts';
import { preview } from '../ir/preview.ts';
import type { Plan } from '../ir/plan.ts';
import { debugEvents, debugPlan } from './debug.ts';
import { printDocument, type Layout } from './document.ts';
import { failureLine } from './failure.ts';
import { EXIT, say, type Io } from './io.ts';
import { readParams } from './params.ts';
import { prepare } from './prepare.ts';
import { runResult } from './run_result.ts';

export interface RunOptions extends Layout {
  readonly file: string;
  readonly workflow: string;
  /** The arguments after the workflow's name. */
  readonly words: readonly string[];
  readonly dryRun: boolean;
  readonly debug: boolean;
}

/**
 * `workflow run`: gives the exit code. After an interruption the process ends by the signal, so
 * that a script which called us stops too, and the code is only for where a signal cannot end it.
 */
export async function run(io: Io, options: RunOptions): Promise<number> {
  const read = readParams(options.words);
  if (!read.ok) {
    say(
      io,
      read.problems.map((problem) => `cli: ${problem}`),
    );
    return EXIT.cannotStart;
  }
  const plan = prepare(io, { ...options, params: read.params });
  if (plan === undefined) return EXIT.cannotStart;
  if (options.debug) say(io, debugPlan(plan));
  if (options.dryRun) {
    say(io, outline(plan));
    return printDocument(io, preview(plan), options, EXIT.ok);
  }

  const shell = findShell(io.env['PATH']);
  if (shell === undefined) {
    say(io, ['cli: found neither bash nor sh in PATH; one of them is needed to run commands']);
    return EXIT.cannotStart;
  }
  if (!hasWorkingDirectory()) {
    say(io, ['cli: the current directory does not exist any more; change to one that does']);
    return EXIT.cannotStart;
  }
  if (options.debug) say(io, [`debug: shell ${[shell.file, ...shell.args].join(' ')}`]);
  const outcome = await runPlan(io, plan, shell, options.debug);
  const { interrupted } = outcome;
  if (interrupted !== undefined) say(io, [`cli: interrupted by ${interrupted}`]);
  const exit = outcome.success ? EXIT.ok : EXIT.no;
  const code = printDocument(io, runResult(plan, outcome), options, exit);
  return interrupted === undefined ? code : io.die(interrupted);
}

/** Runs the plan in the shell; whatever happens, signals are as they were afterwards. */
async function runPlan(io: Io, plan: Plan, shell: Shell, debug: boolean): Promise<Outcome> {
  const marker = markerName(io.runId);
  const port = shellPort(shell, marker, io);
  const showDebug = debugEvents(io, plan);
  const observe = (event: Event): void => {
    if (debug) showDebug(event);
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
