import { hasFailed, isAllowed } from '../../backend/command_runner.ts';
import type { RunEvent } from '../../backend/run_event.ts';
import type { Assumptions } from '../../backend/simulation/assumptions.ts';
import type { Simulation } from '../../driver/simulation/simulate_plan.ts';
import type { Op, Plan } from '../../ir/plan.ts';
import { formatStepCount } from '../../output/quantities.ts';
import type { Rules } from '../../output/paint.ts';
import { describeExit } from '../../reporters/failure_text.ts';
import { describePosition, skipReason } from '../../reporters/op_text.ts';
import { truncateLines } from '../../truncate.ts';
import { unreachable } from '../../unreachable.ts';

/** The colours of a simulated run: failures and the result, steps that do not run, and names. */
export const SIMULATION_RULES: Rules = [
  [/^ {2}. .* {2}(?:failed|was cancelled|could not|tests) .*$/, 'red'],
  [/^ {2}. .* {2}(?:skipped|left out)(?: .*)?$/, 'faint'],
  [/ would succeed(?=: )/, 'green'],
  [/ would fail(?=: )/, 'red'],
  [/^(?:workflow .*(?=, as assumed$)| {2}\[\w+\](?= {2}))/, 'bold'],
];

/** A line of a simulated run. The lines of a group are sorted by op. */
type Line = Readonly<{ index: number; text: string }>;

/** A simulated run as lines: its steps in order, skipped steps, and the result. */
export function simulationLines(plan: Plan, assumed: Assumptions, { events, outcome, paths }: Simulation): string[] {
  const lines = new SimulationLines(plan, assumed, paths);
  for (const event of events) lines.follow(event);
  return [`workflow ${plan.workflow}, as assumed`, ...lines.texts, lines.summary(outcome.success)];
}

class SimulationLines {
  readonly texts: string[] = [];
  readonly #plan: Plan;
  readonly #assumed: Assumptions;
  readonly #paths: ReadonlyMap<number, string>;
  readonly #indexes: ReadonlyMap<Op, number>;
  /** The number of groups that are open, and the lines since the outermost one began. */
  #depth = 0;
  #group: Line[] = [];
  #hasFailed = false;
  readonly #counts = { ran: 0, failed: 0, skipped: 0 };

  constructor(plan: Plan, assumed: Assumptions, paths: ReadonlyMap<number, string>) {
    this.#plan = plan;
    this.#assumed = assumed;
    this.#paths = paths;
    this.#indexes = new Map(plan.ops.map((op, index) => [op, index]));
  }

  follow(event: RunEvent): void {
    switch (event.kind) {
      case 'started':
      case 'held':
      case 'kept':
      case 'member output':
        return;
      case 'waiting': {
        const attempt = `attempt ${event.attempt} of ${event.op.options.retry?.maxAttempts ?? 1}`;
        return this.#add(event.op, describeExit(event.exit, [attempt]));
      }
      case 'ended':
        return this.#end(event);
      case 'skipped': {
        this.#counts.skipped += 1;
        const isAssumed = this.#assumed.answers.has(this.#indexOf(event.op));
        return this.#add(event.op, `skipped (${isAssumed ? 'assumed' : skipReason(event.op, event.exit)})`);
      }
      case 'left out':
        return this.#leaveOut(event.op);
      case 'refused': {
        this.#hasFailed = true;
        const text = `  ! ${describePosition(this.#plan, event.step)}  could not be started: ${event.reason}`;
        return this.#push({ index: this.#group.at(-1)?.index ?? 0, text });
      }
      case 'declined':
        this.#hasFailed = true;
        return this.#add(event.op, 'could not be confirmed');
      case 'group started':
        this.#depth += 1;
        return this.#add(event.op, 'in parallel');
      case 'group ended':
        return this.#endGroup();
      default:
        return unreachable(event);
    }
  }

  summary(success: boolean): string {
    const { ran, failed, skipped } = this.#counts;
    const ahead = this.#plan.ops.filter(({ kind }) => kind === 'run').length;
    const counts = [
      `${formatStepCount(ran)} of ${ahead} would run`,
      ...(failed === 0 ? [] : [`${failed} of them would fail`]),
      ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    ];
    return `the run would ${success ? 'succeed' : 'fail'}: ${counts.join(', ')}`;
  }

  #end({ op, exit, attempts }: RunEvent & { kind: 'ended' }): void {
    const failed = hasFailed(exit);
    const allowed = op.kind === 'run' && isAllowed(exit, op.options);
    if (op.kind === 'condition' && exit.kind === 'exited') return;
    // A step that refers to a missing value fails without starting.
    if (op.kind === 'run' && attempts > 0) {
      this.#counts.ran += 1;
      if (failed) this.#counts.failed += 1;
    }
    this.#hasFailed ||= failed && !allowed;
    if (failed) this.#add(op, describeExit(exit, allowed ? ['allowed'] : []));
    else this.#add(op, op.kind === 'condition' ? 'holds' : truncateLines(op.command));
  }

  /** Nothing else runs after a failure. */
  #leaveOut(op: Op): void {
    if (this.#hasFailed || (op.kind !== 'run' && op.kind !== 'hook')) return;
    if (op.kind === 'run') this.#counts.skipped += 1;
    this.#add(op, this.#assumed.leftOut.has(this.#indexOf(op)) ? 'skipped (assumed)' : 'left out');
  }

  #endGroup(): void {
    this.#depth -= 1;
    if (this.#depth > 0) return;
    this.texts.push(...this.#group.toSorted((one, other) => one.index - other.index).map(({ text }) => text));
    this.#group = [];
  }

  #add(op: Op, text: string): void {
    const index = this.#indexOf(op);
    const path = this.#paths.get(index) ?? '';
    const start = op.kind === 'hook' ? `[${op.hook}]` : `${op.kind === 'parallel' ? '>' : '-'} ${path}`;
    this.#push({ index, text: `  ${start}  ${text}` });
  }

  #push(line: Line): void {
    if (this.#depth === 0) this.texts.push(line.text);
    else this.#group.push(line);
  }

  #indexOf(op: Op): number {
    return this.#indexes.get(op) ?? 0;
  }
}
