import { looksNegative } from '../frontend/lint/conditions.ts';
import type { ConditionOp } from '../ir/plan.ts';
import { isCheck, conditionParts } from '../ir/ops.ts';
import { HOLDS, type ConditionResult } from './checks/check_port.ts';
import { exitCode, isNoAnswer } from './command_runner.ts';
import type { Attempts } from './attempts.ts';

/** Tests a condition of a run or of a branch. */
export async function testCondition(commands: Attempts, op: ConditionOp, index: number): Promise<ConditionResult> {
  const { shared, runner } = commands;
  const { test, frame } = op;
  if (isCheck(op)) return (await shared.checks?.test(op, index, runner)) ?? HOLDS;
  if (test.kind === 'variable') {
    const value = shared.requests.environment(frame).get(test.name) ?? '';
    const failed = looksNegative(value);
    if (failed) await rejectValue(commands, op, index, { variable: test.name, value });
    return { holds: value !== '', failed, exit: null };
  }
  const { code, reads } = conditionParts(test);
  const ended = await commands.run(op, index, () => shared.requests.ofCondition(op, code, reads));
  const failed = ended !== undefined && isNoAnswer(ended.exit);
  return { holds: ended !== undefined && exitCode(ended.exit) === 0, failed, exit: ended?.exit ?? null };
}

/** Fails the run at a condition whose variable has a negative value. At this point, only outputs can have one. */
async function rejectValue(
  commands: Attempts,
  op: ConditionOp,
  index: number,
  given: Readonly<{ variable: string; value: string }>,
): Promise<void> {
  const { requests } = commands.shared;
  const source = requests.settingOf(op.frame, given.variable)?.source ?? 'environment';
  const step = requests.exitCodeIn(op.frame, given.variable);
  const rejection = {
    kind: 'negative value',
    ...given,
    source,
    ...(step !== undefined && { exitCodeOf: step }),
  } as const;
  await commands.showBoth(op, index, { exit: { kind: 'rejected', rejection }, attempts: 1 });
}
