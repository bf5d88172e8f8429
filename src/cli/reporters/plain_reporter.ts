import { hasFailed } from '../../backend/command_runner.ts';
import type { Outcome, RunEvent } from '../../backend/run_event.ts';
import type { Plan } from '../../ir/plan.ts';
import { runCounts } from './file/report.ts';
import { elapsed, type Change, type EndedOp } from './op_results.ts';
import { describeDeclined, describeSkip } from './op_text.ts';
import { describeOp, describePosition } from '../../ir/steps/describe_op.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { formatElapsed } from '../output/quantities.ts';
import { printStderr, type Io } from '../output/io.ts';
import type { ReportedRun, Reporter } from './reporter_type.ts';
import { ALLOWED_LINES, FAILED_LINES, type OutputMode } from './output/output_mode.ts';
import { longestChain } from './times/longest_chain.ts';
import { unusualText, usualRunText, usualSuffix } from './times/usual_text.ts';
import { debugLines, isShownQuietly } from './verbosity.ts';

/**
 * Reports a run in plain lines, which are the same in every run except for the times. `--debug` adds the variable names
 * of each op and its exit code. `--quiet` leaves only failures. In the mode `failures`, output is printed by this reporter.
 */
export function plainReporter(
  io: Io,
  run: ReportedRun,
  { quiet, debug: isDebug }: Options,
  { chosenBy }: Pick<OutputMode, 'chosenBy'>,
): Reporter {
  const lines = new PlainLines(run, quiet, () => io.shared?.isMuted === true);
  const debug = isDebug ? debugLines(run.prepared.plan) : undefined;
  return {
    // A resume has printed the id.
    begin: (id) => {
      if (chosenBy !== undefined && io.shared?.isMuted === true)
        printStderr(
          io,
          [`the output of failed steps only, because ${chosenBy} is set; for all of it, add --output all`],
          'cli: ',
        );
      if (debug !== undefined && id !== null) printStderr(io, [`run ${id}`], 'cli: ');
    },
    onEvent: (change) => {
      const shown = lines.of(change, debug !== undefined);
      const more = debug?.(change) ?? [];
      // The variables of an op are shown below its announcement, its exit code above its result.
      printStderr(io, change.event.kind === 'started' ? [...shown, ...more] : [...more, ...shown]);
    },
    onEnd: (outcome) => printStderr(io, lines.end(outcome)),
  };
}

/** The number of attempts, to follow a result; empty for a single one. */
function attemptsOf({ attempts }: EndedOp): string {
  return attempts < 2 ? '' : ` in ${attempts} attempts`;
}

/** The last lines of the output of a failed command, after a mark if there are more. */
function lastLines({ exit, allowed }: EndedOp): string[] {
  const [lines, count] = [exit.printed?.lines() ?? [], allowed ? ALLOWED_LINES : FAILED_LINES];
  return [...(lines.length > count ? ['| …'] : []), ...lines.slice(-count).map((line) => `| ${line}`)];
}

class PlainLines {
  readonly #run: ReportedRun;
  readonly #plan: Plan;
  readonly #quiet: boolean;
  readonly #isMuted: () => boolean;

  constructor(run: ReportedRun, quiet: boolean, isMuted: () => boolean) {
    this.#run = run;
    this.#isMuted = isMuted;
    this.#plan = run.prepared.plan;
    this.#quiet = quiet;
  }

  of(change: Change, debug: boolean): string[] {
    if (this.#quiet && !isShownQuietly(change)) return [];
    const { event, entry } = change;
    if (entry?.kind === 'ended' && hasFailed(entry.exit)) return this.#failure(entry, debug);
    if (entry?.kind === 'ended')
      return [
        `cli: ${describeOp(this.#plan, entry.op)} ${entry.status === 'stopped' ? 'was stopped' : 'succeeded'}${attemptsOf(entry)}, ${this.#took(entry)}`,
      ];
    if (this.#isMuted() && !isShownQuietly(change)) return [];
    if (entry?.kind === 'skip')
      return [`cli: ${describeSkip(this.#plan, entry.op, this.#run.titles.ofSkipped(entry).name, entry.exit)}`];
    return this.#eventLines(event);
  }

  #eventLines(event: RunEvent): string[] {
    if (event.kind === 'refused')
      return [`cli: ${describePosition(this.#plan, event.step)} could not be started: ${event.reason}`];
    const name = describeOp(this.#plan, event.op);
    switch (event.kind) {
      case 'started':
        return event.op.kind === 'condition'
          ? []
          : [`cli: ${name}${usualSuffix(this.#run.usual()?.ofStep(event.index))}`];
      case 'waiting':
        return [`cli: ${name} ${this.#run.text.retry(event.op, event.exit, event.attempt)}`];
      case 'declined':
        return [`cli: ${name} ${describeDeclined(event)}`];
      case 'group started': {
        const members = this.#run.results.runningMembers(event.op);
        return members === 0 ? [] : [`cli: ${name}: ${members} in parallel`];
      }
      case 'ready':
        return [`cli: ${name} is ready, ${formatElapsed(event.milliseconds)}`];
      case 'member output':
        return [`cli: output of '${event.branch.name}':`];
      // Their entries show what has ended or is skipped.
      case 'ended':
      case 'skipped':
      case 'held':
      case 'kept':
      case 'left out':
      case 'not ready':
      case 'group ended':
        return [];
    }
  }

  /** The summary of the run. */
  end({ success, interrupted }: Outcome): string[] {
    const interruption = interrupted === undefined ? [] : [`cli: interrupted by ${interrupted}`];
    if (this.#quiet) return interruption;
    const result = success ? 'succeeded' : 'failed';
    const { results } = this.#run;
    const chain = longestChain(this.#run);
    return [
      ...interruption,
      ...(chain === undefined ? [] : [`cli: longest chain: ${chain}`]),
      `cli: workflow '${this.#plan.workflow}' ${result}: ${runCounts(results)}${usualRunText(this.#run)}`,
    ];
  }

  #took(ended: EndedOp): string {
    const ms = elapsed(ended);
    return `${formatElapsed(ms)}${unusualText(ms, this.#run.usual()?.ofStep(ended.index))}`;
  }

  #failure(failed: EndedOp, debug: boolean): string[] {
    const { op, exit } = failed;
    const hasRun = exit.kind !== 'not started' && exit.kind !== 'rejected';
    const effort = hasRun ? `${attemptsOf(failed)}, ${this.#took(failed)}` : '';
    const { text, results } = this.#run;
    const hints = results.isInterrupted ? [] : text.hints(failed, debug);
    const line = `cli: ${describeOp(this.#plan, op)} ${text.failure(op, exit)}${effort}`;
    return [line, ...hints.map((hint) => `cli:   ${hint}`), ...(this.#isMuted() ? lastLines(failed) : [])];
  }
}
