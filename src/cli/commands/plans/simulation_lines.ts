import { hasFailed } from '../../../backend/command_runner.ts';
import type { RunEvent } from '../../../backend/run_event.ts';
import type { Assumptions } from '../../../backend/simulation/assumptions.ts';
import type { Simulation } from '../../driver/simulation/simulate_plan.ts';
import { hookName, type Plan } from '../../../ir/plan.ts';
import { formatStepCount } from '../../output/quantities.ts';
import type { Rules } from '../../output/paint.ts';
import { describeExit } from '../../reporters/failure_text.ts';
import { isBad } from '../../reporters/file/report.ts';
import { OpResults, type Change, type OpResult } from '../../reporters/op_results.ts';
import { skipReason } from '../../reporters/op_text.ts';
import { describePosition } from '../../../ir/steps/describe_op.ts';
import { truncateLines } from '../../../base/truncate.ts';

/** The colours of a simulated run: failures and the result, steps that do not run, and names. */
export const SIMULATION_RULES: Rules = [
  [/^ {2}. .* {2}(?:failed|was cancelled|could not|tests) .*$/, 'red'],
  [/^ {2}. .* {2}(?:skipped|left out)(?: .*)?$/, 'faint'],
  [/ would succeed(?=: )/, 'green'],
  [/ would fail(?=: )/, 'red'],
  [/^(?:workflow .*(?=, as assumed$)| {2}\[(?:[a-z_]+|[a-z]+ of .+?)\](?= {2}))/, 'bold'],
];

/** A line of a simulated run. The lines of a group are sorted by op. */
type Line = Readonly<{ index: number; text: string }>;

/** A simulated run as lines: its steps in order, skipped steps, and the result. */
export function simulationLines(plan: Plan, assumed: Assumptions, { events, outcome, paths }: Simulation): string[] {
  const lines = new SimulationLines(plan, assumed, paths);
  const results = new OpResults(plan);
  for (const event of events) lines.add(results.follow(event));
  return [`workflow ${plan.workflow}, as assumed`, ...lines.texts, summary(results.steps, plan, outcome.success)];
}

function summary(steps: readonly OpResult[], { ops }: Plan, success: boolean): string {
  const ran = steps.filter(({ kind, status }) => kind === 'ended' && status !== 'not started');
  const failed = ran.filter(({ status }) => status === 'failed').length;
  const skipped = steps.filter(({ status }) => status === 'skipped' || status === 'left out').length;
  const counts = [
    `${formatStepCount(ran.length)} of ${ops.filter(({ kind }) => kind === 'run').length} would run`,
    ...(failed === 0 ? [] : [`${failed} of them would fail`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ];
  return `the run would ${success ? 'succeed' : 'fail'}: ${counts.join(', ')}`;
}

class SimulationLines {
  readonly texts: string[] = [];
  readonly #plan: Plan;
  readonly #assumed: Assumptions;
  readonly #paths: ReadonlyMap<number, string>;
  /** The number of groups that are open, and the lines since the outermost one began. */
  #depth = 0;
  #group: Line[] = [];
  #hasFailed = false;

  constructor(plan: Plan, assumed: Assumptions, paths: ReadonlyMap<number, string>) {
    this.#plan = plan;
    this.#assumed = assumed;
    this.#paths = paths;
  }

  add({ event, entry, results }: Change): void {
    this.#hasFailed ||= event.kind === 'refused' || results.some(isBad);
    if (event.kind === 'refused') {
      const text = `  ! ${describePosition(this.#plan, event.step)}  could not be started: ${event.reason}`;
      return this.#push({ index: this.#group.at(-1)?.index ?? 0, text });
    }
    if (event.kind === 'group ended') return this.#endGroup();
    if (event.kind === 'group started') this.#depth += 1;
    const text = this.#textOf(event, entry);
    if (text === undefined) return;
    const { op, index } = event;
    const path = this.#paths.get(index) ?? '';
    const start =
      op.kind === 'hook' ? `[${hookName(this.#plan, op)}]` : `${op.kind === 'parallel' ? '>' : '-'} ${path}`;
    this.#push({ index, text: `  ${start}  ${text}` });
  }

  #textOf(event: RunEvent, entry: Change['entry']): string | undefined {
    if (entry?.kind === 'ended') {
      const { op, exit, allowed } = entry;
      if (hasFailed(exit)) return describeExit(exit, allowed ? ['allowed'] : []);
      if (entry.status === 'stopped') return undefined;
      return op.kind === 'condition' ? 'holds' : truncateLines(op.command);
    }
    if (entry?.kind === 'skip')
      return `skipped (${this.#assumed.answers.has(entry.index) ? 'assumed' : skipReason(entry.op, entry.exit)})`;
    switch (event.kind) {
      case 'waiting':
        return describeExit(event.exit, [`attempt ${event.attempt} of ${event.op.options.retry?.maxAttempts ?? 1}`]);
      case 'declined':
        return 'could not be confirmed';
      case 'ready':
        return truncateLines(event.op.command);
      case 'group started':
        return 'in parallel';
      case 'left out': {
        // Nothing else runs after a failure.
        if (this.#hasFailed || (event.op.kind !== 'run' && event.op.kind !== 'hook')) return undefined;
        return this.#assumed.leftOut.has(event.index) ? 'skipped (assumed)' : 'left out';
      }
      case 'started':
      case 'ended':
      case 'held':
      case 'skipped':
      case 'kept':
      case 'refused':
      case 'member output':
      case 'not ready':
      case 'group ended':
        return undefined;
    }
  }

  #endGroup(): void {
    this.#depth -= 1;
    if (this.#depth > 0) return;
    this.texts.push(...this.#group.toSorted((one, other) => one.index - other.index).map(({ text }) => text));
    this.#group = [];
  }

  #push(line: Line): void {
    if (this.#depth === 0) this.texts.push(line.text);
    else this.#group.push(line);
  }
}
