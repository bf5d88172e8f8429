import type { Step, WorkflowFile } from '../ast.ts';
import type { Warn } from '../diagnostics/diagnostic.ts';
import type { LintedRun } from './linted_run.ts';
import { variableScopes, stepsOf } from './scopes.ts';

/** Commands with a constant result. */
const CONSTANTS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  [':', true],
  ['false', false],
]);

/** The texts of all conditions: the name of a variable, or a command. */
export function conditionsOf(file: WorkflowFile): readonly string[] {
  const conditions: string[] = [];
  for (const { step } of stepsOf(file)) if (step.condition !== undefined) conditions.push(step.condition.text.trim());
  return conditions;
}

/** Warns of conditions with a constant result. An `env` entry may be a default that a parameter overrides. */
export function findConstantConditions(file: WorkflowFile, run: LintedRun | undefined, warn: Warn): void {
  for (const { step, owner } of stepsOf(file)) {
    const known = step.condition === undefined ? undefined : resultOf(step, step.condition.text.trim(), run);
    if (step.condition !== undefined && known !== undefined) {
      warn({ code: 'constant condition', ...known }, owner, step.condition.range);
    }
  }
}

function resultOf(
  step: Step,
  condition: string,
  run: LintedRun | undefined,
): { holds: boolean; because: string } | undefined {
  const constant = CONSTANTS.get(condition);
  if (constant !== undefined) return { holds: constant, because: 'the command is a constant' };
  const value = step.with.get(condition);
  // The values of outputs and variables are unknown.
  if (
    value === undefined ||
    value.references.length > 0 ||
    value.variables !== undefined ||
    run?.params.has(condition) === true
  )
    return undefined;
  const holds = value.text !== '';
  return { holds, because: `'with.${condition}' is ${holds ? 'not ' : ''}empty` };
}

/** Whether a value means false, although a condition on its variable holds. */
export function looksNegative(value: string): boolean {
  return /^\s*(?:0|false|no?|off)\s*$/i.test(value);
}

/** Warns of negative values of variables that a condition tests. */
export function findNegativeValues(file: WorkflowFile, conditions: readonly string[], warn: Warn): void {
  const tested = new Set(conditions);
  // The value of a boolean becomes true or empty.
  for (const { inputs } of file.workflows.values()) {
    for (const { name, type } of inputs ?? []) if (type === 'boolean') tested.delete(name);
  }
  for (const [field, variables, owner] of variableScopes(file)) {
    for (const [variable, { text, range }] of variables) {
      if (!tested.has(variable) || !looksNegative(text)) continue;
      warn({ code: 'negative value', field: `${field}.${variable}`, variable }, owner, range);
    }
  }
}
