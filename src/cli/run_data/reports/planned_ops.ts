import { isCommand } from '../../../ir/ops.ts';
import type { RunJournal } from '../../../backend/run_journal.ts';
import type { Prepared } from '../../driver/prepare_run.ts';
import { at, type CommandOp } from '../../../ir/plan.ts';
import { commandPaths } from '../../../ir/steps/command_path.ts';
import type { RecordedPlan } from '../../../records/journal/directory/recorded_plan.ts';
import { reportCall } from '../../reporters/file/op_identity.ts';
import { reportOp, type ReportOp, passedResult } from '../../reporters/file/report.ts';

type PlannedOp = ReportOp & RecordedPlan['ops'][number];

/**
 * The calls and ops of a session before its first command: kept ones, omitted ones, and others. An op has the id of its
 * records, its path of names, and the decision about its result. Its index is its place in the list, without groups.
 */
export function plannedOps(
  prepared: Pick<Prepared, 'plan' | 'position'>,
  known: RunJournal['known'],
): Readonly<{ calls: RecordedPlan['calls']; ops: Iterable<PlannedOp> }> {
  const { ops, calls } = prepared.plan;
  /** The number of ops without groups before each op. */
  const numbers = [0];
  for (const op of ops) numbers.push((numbers.at(-1) ?? 0) + (isCommand(op) ? 1 : 0));
  return {
    calls: calls.map((call) => Object.assign(reportCall(call), { start: at(numbers, call.start) })),
    ops: { [Symbol.iterator]: () => withIds(prepared, known, numbers) },
  };
}

function* withIds(
  prepared: Pick<Prepared, 'plan' | 'position'>,
  known: RunJournal['known'],
  numbers: readonly number[],
): Generator<PlannedOp> {
  const pathOf = commandPaths(prepared.plan);
  for (const [index, op] of prepared.plan.ops.entries()) {
    if (!isCommand(op)) continue;
    const status = passedStatus(known(index));
    const planned = { ...reportOp(prepared, op, passedResult({ status, reason: null })), status };
    yield Object.assign(pathOf(index, planned.kind, planned.name ?? ''), planned, rulesOf(op, numbers));
  }
}

function passedStatus(known: ReturnType<RunJournal['known']>): 'kept' | 'left out' | 'not reached' {
  if (known?.kind === 'left out') return known.kind;
  return known?.kind === 'finished' || (known?.kind === 'decided' && known.holds) ? 'kept' : 'not reached';
}

/** The fields that decide which other ops run. */
function rulesOf(op: CommandOp, numbers: readonly number[]): Pick<PlannedOp, 'test' | 'target' | 'when'> {
  if (op.kind === 'hook') return { when: op.when };
  return op.kind === 'condition' ? { test: op.test.kind, target: at(numbers, op.target) } : {};
}
