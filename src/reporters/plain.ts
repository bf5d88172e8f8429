import { exitCode, hasFailed, isNotRunnable } from '../backend/command_runner.ts';
import type { RunEvent } from '../backend/run_event.ts';
import { settingsOf, type Setting } from '../ir/environment.ts';
import type { Op, Plan } from '../ir/plan.ts';
import { outputVariables } from '../ir/output_variables.ts';
import { unreachable } from '../unreachable.ts';
import { describeFailure, describeRetry, type Help } from './failure_text.ts';
import { describeOp, describePosition, describeSkip } from './op_text.ts';
import type { Options } from '../command_line/parse.ts';
import { say, type Io } from '../output/io.ts';
import type { Reporter } from './reporter.ts';

/**
 * Reports a run in plain lines that are the same in every run. `--debug` adds the variables of each op (names, not
 * values), its exit code and its time; `--quiet` leaves only failures.
 */
export function plainReporter(io: Io, plan: Plan, { switches }: Options, help: Help): Reporter {
  const lines = linesOf(plan, switches.has('debug'), switches.has('quiet'), help);
  return {
    onEvent: (event) => say(io, lines(event)),
    onEnd: ({ interrupted }) => interrupted && say(io, [`interrupted by ${interrupted}`], 'cli: '),
  };
}

function linesOf(plan: Plan, debug: boolean, quiet: boolean, help: Help): (event: RunEvent) => readonly string[] {
  const settings = settingsOf(plan);
  let startedAt = 0;
  return (event) => {
    if (event.kind === 'refused') {
      return [`cli: ${describePosition(plan, event.step)} could not be started: ${event.reason}`];
    }
    const { op } = event;
    const name = describeOp(plan, op);
    switch (event.kind) {
      case 'started': {
        // The first use of this clock loads a module, which only --debug pays for.
        if (debug) startedAt = performance.now();
        const lines = op.kind === 'condition' || quiet ? [] : [`cli: ${name}`];
        return debug
          ? [...lines, `debug: ${name} gets ${[sources(settings(op.frame)), ...readsOf(op)].join(', ')}`]
          : lines;
      }
      case 'skipped':
        // A condition that could not be run is most likely a mistake, so it is shown under --quiet too.
        return quiet && !isNotRunnable(event.exit) ? [] : [`cli: ${describeSkip(plan, event.op, event.exit)}`];
      case 'ended': {
        const { exit } = event;
        const isStarted = exit.kind === 'exited' || exit.kind === 'timed out';
        const took = (): string => `after ${Math.round(performance.now() - startedAt)} ms`;
        const lines = debug && isStarted ? [`debug: ${name} ended with exit code ${exitCode(exit)} ${took()}`] : [];
        if (!hasFailed(exit) || (op.kind === 'condition' && isStarted)) return lines;
        const more = help(op).map((line) => `cli:   ${line}`);
        return [...lines, `cli: ${name} ${describeFailure(op, exit)}`, ...more];
      }
      case 'waiting': {
        const { exit, attempt } = event;
        const lines = debug ? [`debug: attempt ${attempt} of ${name} ended with exit code ${exitCode(exit)}`] : [];
        return quiet ? lines : [...lines, `cli: ${name} ${describeRetry(event.op, exit, attempt)}`];
      }
      default:
        return unreachable(event);
    }
  };
}

/** The variables of an op's command that hold outputs, and the source of each. */
function readsOf(op: Op): string[] {
  const reads = op.kind !== 'condition' ? op.reads : op.test.kind === 'command' ? op.test.reads : [];
  return outputVariables(reads).all.map(
    ({ name, read }) => `${name} (output ${read.output} of ${read.from === null ? 'no op' : `op ${read.from}`})`,
  );
}

function sources(settings: ReadonlyMap<string, Setting>): string {
  const found = [...settings].map(([name, { source }]) => `${name} (${source})`);
  return found.length === 0 ? 'no variables of the file' : found.join(', ');
}
