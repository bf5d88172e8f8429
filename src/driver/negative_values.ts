import type { Rejection } from '../backend/command_runner.ts';
import { looksNegative } from '../frontend/lint/conditions.ts';
import { scopesOf, settingIn, valueIn } from '../ir/environment.ts';
import { isSecret, maskValue, secretNames, type Secrecy } from '../ir/mask.ts';
import { at, type ConditionOp, type Plan } from '../ir/plan.ts';
import type { Io } from '../output/io.ts';

/** The value of a condition's variable that says no, although the condition holds for it. */
type NegativeValue = Rejection & { kind: 'negative value' };

/** A predicate of the condition, with the source of the value and the way to say no. */
export function describeNegativeValue(
  { variable, value, source }: NegativeValue,
  isSecretName: Secrecy = isSecret,
): string {
  const shown = maskValue(isSecretName, variable, value.trim());
  const reason = `which is '${shown}' (${source}), but holds for every value that is not empty`;
  const advice = `leave the value empty (${variable}:), or declare ${variable} as a boolean input`;
  return `tests ${variable}, ${reason}; to say no, ${advice}`;
}

/** A condition whose variable has a value that says no, and a sentence without its workflow. */
export type NegativeCondition = Readonly<{ op: ConditionOp; workflow: string; message: string }>;

/**
 * The variable conditions of a plan whose value says no, whether or not a run reaches them, in the order of the plan.
 * Values from outputs are not known yet.
 */
export function negativeConditions(plan: Plan, environment: Io['env']): readonly NegativeCondition[] {
  const scopeOf = scopesOf(plan);
  const isSecretName = secretNames(plan);
  return plan.ops.flatMap((op) => {
    if (op.kind !== 'condition' || op.test.kind !== 'variable') return [];
    const { name: variable } = op.test;
    const scope = scopeOf(op.frame);
    const { value, source } = settingIn(scope, variable, environment) ?? { value: '', source: '' };
    if (!looksNegative(valueIn(scope, variable, value))) return [];
    const predicate = describeNegativeValue({ kind: 'negative value', variable, value, source }, isSecretName);
    const { workflow } = at(plan.calls, op.call);
    return { op, workflow, message: `step ${op.step}: 'if' ${predicate}` };
  });
}
