import { booleanValue } from '../base/boolean_value.ts';
import type { Input } from '../frontend/ast.ts';
import { guardedOps } from './guarded_ops.ts';
import { scopesOf, settingIn, type Inherited, type Scope, type Setting } from './environment.ts';
import { isSecretInput, MASK } from './secret_names.ts';
import { isCheck } from './ops.ts';
import { at, type Call, type Plan } from './plan.ts';

/** An input of a call without a valid value. `setting` is undefined if nothing sets it. */
export type InputProblem = Readonly<{ workflow: string; input: Input; setting: Setting | undefined }>;

/** The inputs that a workflow of a plan declares; undefined if it declares none. */
export function inputsOf({ frames }: Plan, { inputs }: Call): readonly Input[] | undefined {
  return inputs === undefined ? undefined : at(frames, inputs).inputs;
}

/**
 * The calls with inputs that no `if` can skip. Their inputs are checked before anything runs. The inputs of a
 * conditional call are checked when the run reaches it.
 */
export function unconditionalCalls(plan: Plan): readonly Call[] {
  if (plan.calls.every(({ inputs }) => inputs === undefined)) return [];
  const isGuarded = guardedOps(plan, 'if');
  const isFree = (guard: number | null): boolean => guard === null || isCheck(plan.ops[guard]);
  return plan.calls.filter(({ inputs, guard, start }) => inputs !== undefined && isFree(guard) && !isGuarded(start));
}

/**
 * The inputs without a valid value in all unconditional calls. A value with an output is checked when the output is
 * known.
 */
export function inputProblems(plan: Plan, inherited: Inherited): readonly InputProblem[] {
  const calls = unconditionalCalls(plan);
  if (calls.length === 0) return [];
  const scopeOf = scopesOf(plan);
  return calls.flatMap((call) => callProblems(plan, call, scopeOf(call.frame), inherited));
}

/** The inputs of a call without a valid value. Values with an unknown output count as valid. */
export function callProblems(plan: Plan, call: Call, scope: Scope, inherited: Inherited): readonly InputProblem[] {
  return (inputsOf(plan, call) ?? []).flatMap((input) => {
    const setting = settingIn(scope, input.name, inherited);
    if (setting?.isOpen === true || isValid(input, setting)) return [];
    return [{ workflow: call.workflow, input, setting }];
  });
}

function isValid({ required, type, options }: Input, setting: Setting | undefined): boolean {
  if (setting === undefined) return !required;
  const { value } = setting;
  if (required && value === '') return false;
  if (type === 'boolean') return booleanValue(value) !== undefined;
  return type !== 'choice' || options.includes(value);
}

/** The error about a value that is given for an input, from `source`; undefined if it is valid. */
export function valueProblem(workflow: string, input: Input, value: string, source: string): string | undefined {
  const setting = { value, source };
  return isValid(input, setting) ? undefined : describeInputProblem({ workflow, input, setting });
}

/** Maximum length of a value in a message, in characters. */
const SHOWN = 60;

/** A message about an input without a valid value, to follow the name of its workflow. */
export function describeInputProblem({ input, setting }: InputProblem): string {
  const { name, required, type, options } = input;
  const about = input.description === '' ? '' : ` (${input.description})`;
  if (setting === undefined) return `the input ${name}${about} is required, but has no value`;
  const { value, source } = setting;
  if (required && value === '') return `the input ${name}${about} is required, but empty (${source})`;
  const text = value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value;
  const isHidden = isSecretInput(input);
  const shown = isHidden ? MASK : text;
  const choice = isHidden ? 'one of its options' : `one of ${options.join(', ')}`;
  const expected = type === 'boolean' ? 'true or false' : choice;
  return `the input ${name} must be ${expected}, not '${shown}' (${source})`;
}
