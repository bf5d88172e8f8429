import { exitCode, isNotRunnable } from '../backend/command_runner.ts';
import type { Outcome, RunEvent } from '../backend/run_event.ts';
import { settingsOf, type Setting } from '../ir/environment.ts';
import type { CommandOp, Op, Plan } from '../ir/plan.ts';
import { outputVariables } from '../ir/output_variables.ts';
import { unreachable } from '../unreachable.ts';
import type { FailureText } from './failure_text.ts';
import { describeDeclined, describeOp, describePosition, describeSkip } from './op_text.ts';
import { RunTracker, runCounts, type FinishedOp } from './run_tracker.ts';
import type { Options } from '../command_line/parse.ts';
import { formatElapsed } from '../output/quantities.ts';
import { printStderr, type Io } from '../output/io.ts';
import type { Reporter } from './reporter.ts';

/**
 * Reports a run in plain lines, which are the same in every run except for the times. `--debug` adds the variable names
 * of each op and its exit code. `--quiet` leaves only failures.
 */
export function plainReporter(
  io: Io,
  plan: Plan,
  { switches }: Options,
  text: FailureText,
  isInterrupted: () => boolean,
): Reporter {
  const lines = new PlainLines(plan, text, switches.has('quiet'), isInterrupted);
  const debug = switches.has('debug') ? debugLines(plan) : undefined;
  return {
    onEvent: ({ event }) => {
      const shown = lines.event(event, debug !== undefined);
      const more = debug?.(event) ?? [];
      // The variables of an op are shown below its announcement, its exit code above its result.
      printStderr(io, event.kind === 'started' ? [...shown, ...more] : [...more, ...shown]);
    },
    onEnd: (outcome) => printStderr(io, lines.end(outcome)),
  };
}

class PlainLines {
  readonly #plan: Plan;
  readonly #text: FailureText;
  readonly #quiet: boolean;
  readonly #isInterrupted: () => boolean;
  readonly #tracker: RunTracker;

  constructor(plan: Plan, text: FailureText, quiet: boolean, isInterrupted: () => boolean) {
    this.#plan = plan;
    this.#text = text;
    this.#quiet = quiet;
    this.#isInterrupted = isInterrupted;
    this.#tracker = new RunTracker(plan);
  }

  event(event: RunEvent, debug: boolean): string[] {
    const change = this.#tracker.follow(event);
    if (change === undefined) return [];
    if (change.kind === 'finished' && change.failed) return this.#failure(change, debug);
    if (change.kind === 'refused') {
      return [`cli: ${describePosition(this.#plan, change.step)} could not be started: ${change.reason}`];
    }
    if (change.kind === 'declined') return [`cli: ${describeOp(this.#plan, change.op)} ${describeDeclined(change)}`];
    if ('branch' in change) return this.#quiet ? [] : [`cli: output of '${change.branch.name}':`];
    if (change.kind === 'group ended') return [];
    const exit = event.kind === 'skipped' ? event.exit : null;
    // A condition that could not be run is most likely a mistake, so it is shown with --quiet, too.
    if (this.#quiet && !isNotRunnable(exit)) return [];
    const name = describeOp(this.#plan, change.op);
    switch (change.kind) {
      case 'started':
        return [`cli: ${name}`];
      case 'group started':
        return [`cli: ${name}: ${change.op.branches.length} in parallel`];
      case 'waiting':
        return [`cli: ${name} ${this.#text.retry(change.op, change.exit, change.attempt)}`];
      case 'skipped':
        return [`cli: ${describeSkip(this.#plan, change.op, change.name, exit)}`];
      case 'finished':
        return [
          `cli: ${name} succeeded${change.attempts < 2 ? '' : ` in ${change.attempts} attempts`}, ${formatElapsed(change.ms)}`,
        ];
      default:
        return unreachable(change);
    }
  }

  /** The summary of the run. */
  end({ success, interrupted }: Outcome): string[] {
    const interruption = interrupted === undefined ? [] : [`cli: interrupted by ${interrupted}`];
    if (this.#quiet) return interruption;
    const result = success ? 'succeeded' : 'failed';
    return [...interruption, `cli: workflow '${this.#plan.workflow}' ${result}: ${runCounts(this.#tracker)}`];
  }

  #failure({ op, exit, ms }: FinishedOp, debug: boolean): string[] {
    const time = exit.kind === 'not started' || exit.kind === 'rejected' ? '' : `, ${formatElapsed(ms)}`;
    const hints = this.#isInterrupted() ? [] : this.#text.hints(op, debug);
    const line = `cli: ${describeOp(this.#plan, op)} ${this.#text.failure(op, exit)}${time}`;
    return [line, ...hints.map((hint) => `cli:   ${hint}`)];
  }
}

/** The lines of `--debug`: the variables of an op at its start, and its exit code and time at its end. */
function debugLines(plan: Plan): (event: RunEvent) => string[] {
  const settings = settingsOf(plan);
  const startTimes = new Map<Op, number>();
  return (event) => {
    if (event.kind === 'held' || event.kind === 'kept' || event.kind === 'left out') return [];
    if (event.kind === 'refused' || event.kind === 'declined') return [];
    if (event.kind === 'group started' || event.kind === 'group ended' || event.kind === 'member output') return [];
    const name = describeOp(plan, event.op);
    if (event.kind === 'started') {
      // The first use of this clock loads a module, so only --debug uses it.
      startTimes.set(event.op, performance.now());
      return [`debug: ${name} gets ${[sources(settings(event.op.frame)), ...readsOf(event.op)].join(', ')}`];
    }
    if (event.kind === 'skipped' || event.exit.kind === 'not started' || event.exit.kind === 'rejected') return [];
    const code = `ended with exit code ${exitCode(event.exit)}`;
    if (event.kind === 'waiting') return [`debug: attempt ${event.attempt} of ${name} ${code}`];
    return [`debug: ${name} ${code} after ${Math.round(performance.now() - (startTimes.get(event.op) ?? 0))} ms`];
  };
}

/** The variables of an op's command that contain outputs, with their sources. */
function readsOf(op: CommandOp): string[] {
  const reads = op.kind !== 'condition' ? op.reads : op.test.kind === 'command' ? op.test.reads : [];
  return outputVariables(reads).all.map(
    ({ name, read }) => `${name} (output ${read.output} of ${read.from === null ? 'no op' : `op ${read.from}`})`,
  );
}

function sources(settings: ReadonlyMap<string, Setting>): string {
  const found = [...settings].map(([name, { source }]) => `${name} (${source})`);
  return found.length === 0 ? 'no variables of the file' : found.join(', ');
}
