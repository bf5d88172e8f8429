import { scopesOf, type Scope } from '../ir/environment.ts';
import { at, type Op, type Plan } from '../ir/plan.ts';
import { splice } from '../ir/output_variables.ts';
import { checkWords, declarations, isChecked } from './input_lines.ts';
import { quote } from './words.ts';

/** Lines that check what must hold before anything runs: inputs, values that say no, and arguments. */
export function checkLines(plan: Plan, shown: (text: string) => string): readonly string[] {
  const scopeOf = scopesOf(plan);
  return [
    ...paramLines(plan),
    ...argumentLines(plan),
    ...inputChecks(plan, scopeOf),
    ...conditionChecks(plan, scopeOf, shown),
  ];
}

/** The variable of a scope, as the file sets it, for the functions of the script. */
function scopeLines({ settings, inputs }: Scope, name: string): readonly string[] {
  const setting = settings.get(name);
  const declared = inputs.get(name);
  const value = setting === undefined ? '' : quote(`${name}=${setting.value}`);
  const preset = declared?.preset;
  const input = declared === undefined ? [] : [{ ...declared.input, default: preset?.value ?? null }];
  return [`wf_scope=(${value}) wf_inputs=() wf_defaults=()`, ...declarations(input)].map((line) =>
    line.replace('local -a ', ''),
  );
}

/** Checks of the inputs of calls that are sure to be made. Values that hold outputs are checked when they are known. */
function inputChecks(plan: Plan, scopeOf: (frame: number) => Scope): readonly string[] {
  const isGuarded = guardedOps(plan);
  const lines = plan.calls.flatMap((call) => {
    if (call.inputs === undefined || call.guard !== null || isGuarded(call.start)) return [];
    const scope = scopeOf(call.frame);
    const inputs = at(plan.frames, call.inputs).inputs ?? [];
    return inputs.filter(isChecked).map((input) => {
      const words = [scope.settings.get(input.name)?.isOpen === true ? 'wf_check_given_input' : 'wf_check_input'];
      return [...scopeLines(scope, input.name), [...words, ...checkWords(input)].join(' ')].join('\n');
    });
  });
  return [...new Set(lines)].flatMap((text) => text.split('\n'));
}

/** Whether a condition may skip an op. */
function guardedOps({ ops }: Plan): (op: number) => boolean {
  let target = 0;
  const isGuarded = ops.map((op, index) => {
    const guarded = target > index;
    if (op.kind === 'condition') target = Math.max(target, op.target);
    return guarded;
  });
  return (op) => isGuarded[op] ?? false;
}

/** Checks of the variables that conditions test: values such as `false` stop the script. */
function conditionChecks(
  plan: Plan,
  scopeOf: (frame: number) => Scope,
  shown: (text: string) => string,
): readonly string[] {
  const lines = plan.ops.flatMap((op) => {
    if (op.kind !== 'condition' || op.test.kind !== 'variable') return [];
    const label = `the condition of step ${op.step} of workflow '${shown(at(plan.calls, op.call).workflow)}'`;
    const check = `wf_check_condition ${op.test.name} ${quote(label)}`;
    return [[...scopeLines(scopeOf(op.frame), op.test.name), check].join('\n')];
  });
  return [...new Set(lines)].flatMap((text) => text.split('\n'));
}

/** `$@`, `$*`, `$#`, `$1` and the like, also in braces. */
const MENTIONS_ARGUMENTS = /\$(?:[@*#1-9]|\{!?(?:[@*]|[1-9]\d*(?!\w)|#(?:[}@*:]|[1-9])))/;

function argumentLines({ ops }: Plan): readonly string[] {
  if (ops.some((op) => MENTIONS_ARGUMENTS.test(textOf(op)))) return [];
  return [`((\${#wf_args[@]} == 0)) || wf_cannot_start 'nothing mentions the arguments after --'`];
}

/** A workflow with inputs takes only parameters that it declares or mentions. */
function paramLines(plan: Plan): readonly string[] {
  if (at(plan.calls, 0).inputs === undefined) return [];
  const names = plan.frames.flatMap(({ vars, inputs = [] }) => [
    ...vars.map(([name]) => name),
    ...inputs.map(({ name }) => name),
  ]);
  const words = plan.ops.flatMap((op) => textOf(op).match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? []);
  return [`wf_check_params ${[...new Set([...names, ...words])].toSorted().join(' ')}`];
}

/** The command of an op without its references, or the variable that it tests. */
function textOf(op: Op): string {
  if (op.kind === 'parallel') return '';
  if (op.kind !== 'condition') return splice(op.command, op.reads, () => ' ');
  return op.test.kind === 'variable' ? op.test.name : splice(op.test.command, op.test.reads, () => ' ');
}
