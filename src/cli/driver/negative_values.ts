import type { Rejection } from '../../backend/command_runner.ts';
import { EXIT_CODE } from '../../base/exit_code.ts';
import { looksNegative } from '../../frontend/lint/conditions.ts';
import { scopesOf, settingIn, valueIn } from '../../ir/environment.ts';
import { isSecret, maskValue, secretNames, type Secrecy } from '../../ir/secret_names.ts';
import { conditionParts } from '../../ir/ops.ts';
import { at, type ConditionOp, type Plan } from '../../ir/plan.ts';
import type { Io } from '../output/io.ts';

/** A value such as `false` of a condition's variable. It means false, but the condition would hold. */
type NegativeValue = Rejection & { kind: 'negative value' };

/** The message about a condition with a negative value, as a predicate: the source of the value, and alternatives. */
export function describeNegativeValue(
  { variable, value, source, exitCodeOf }: NegativeValue,
  isSecretName: Secrecy = isSecret,
): string {
  const shown = maskValue(isSecretName, variable, value.trim());
  const reason = `whose value '${shown}' (${source}) counts as true, because it is not empty`;
  if (exitCodeOf !== undefined)
    return `tests ${variable}, ${reason}; write "if": "[ \${steps.${exitCodeOf}.${EXIT_CODE}} -ne 0 ]"`;
  const advice = `leave the value empty instead (${variable}:), or declare ${variable} as a boolean input`;
  return `tests ${variable}, ${reason}; ${advice}`;
}

/** A condition whose variable has a negative value, and a message without the workflow's name. */
export type NegativeCondition = Readonly<{ op: ConditionOp; workflow: string; message: string }>;

/**
 * The conditions of a plan whose variable has a negative value, reached or not, in the order of the plan. Values from
 * outputs are unknown before the run.
 */
export function negativeConditions(plan: Plan, environment: Io['env']): readonly NegativeCondition[] {
  const scopeOf = scopesOf(plan);
  const isSecretName = secretNames(plan);
  return plan.ops.flatMap((op) => {
    const variable = op.kind === 'condition' ? conditionParts(op.test).variable : undefined;
    if (op.kind !== 'condition' || variable === undefined) return [];
    const scope = scopeOf(op.frame);
    const { value, source } = settingIn(scope, variable, environment) ?? { value: '', source: '' };
    if (!looksNegative(valueIn(scope, variable, value))) return [];
    const predicate = describeNegativeValue({ kind: 'negative value', variable, value, source }, isSecretName);
    const { workflow } = at(plan.calls, op.call);
    return { op, workflow, message: `step ${op.step}: 'if' ${predicate}` };
  });
}
