import { isCommand, conditionParts, codeOf, usesArguments, variablesOf } from '../ir/ops.ts';
import { inputsOf, unconditionalCalls } from '../ir/inputs.ts';
import { dotenvFiles } from '../ir/link.ts';
import { at, type Plan } from '../ir/plan.ts';
import type { ScopeWords } from './scope_words.ts';
import type { LookupTable } from './lookup_table.ts';
import { listedSecrets } from '../ir/secret_names.ts';
import { checkWords, isChecked } from './input_lines.ts';
import { quote } from './bash_words.ts';

/** Reserved words of the shell, which look misplaced among arguments. */
const RESERVED = /^(?:case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while)$/;

/** Lines that run all checks before anything else runs: of referenced variables, inputs, and negative values. */
export function checkLines(plan: Plan, scope: ScopeWords, shown: (text: string) => string): readonly string[] {
  const { lookups } = scope;
  lookups.addAll();
  const directories = directoryChecks(plan, scope);
  return [
    ...(listedSecrets(plan).length === 0 ? [] : ['wf_reject_secrets']),
    ...dotenvLines(plan),
    ...lookups.lines,
    ...directories,
    ...paramLines(plan),
    ...matrixLines(plan),
    ...argumentLines(plan),
    ...inputChecks(plan, lookups),
    ...conditionChecks(plan, lookups, shown),
  ];
}

/** Lines that read dotenv files, each once. */
function dotenvLines(plan: Plan): readonly string[] {
  const hasSecrets = listedSecrets(plan).length > 0;
  return dotenvFiles(plan, {}).flatMap((path, index) => [
    `wf_read_dotenv ${quote(path)}${hasSecrets ? ` && wf_leave_out_secrets ${quote(path)}` : ''}`,
    `wf_dotenv_${index + 1}=("\${wf_entries[@]}")`,
  ]);
}

/** A line that rejects parameters for variables of a matrix. */
function matrixLines({ frames }: Plan): readonly string[] {
  const names = frames.flatMap(({ vars, matrix }) => (matrix === true ? vars.map(([name]) => name) : []));
  return names.length === 0 ? [] : [`wf_reject_params ${[...new Set(names)].toSorted().join(' ')}`];
}

/** Checks that no reference leaves the path of a directory empty. */
function directoryChecks({ ops }: Plan, scope: ScopeWords): readonly string[] {
  const lines = ops.flatMap((op) => {
    if (!isCommand(op) || op.dirLookup === undefined) return [];
    return scope.directory({ dir: null, ...op }).map((word) => `wf_check_directory ${word}`);
  });
  return [...new Set(lines)];
}

/** Checks of the inputs of unconditional calls. Values that contain outputs are checked once they are known. */
function inputChecks(plan: Plan, lookups: LookupTable): readonly string[] {
  const lines = unconditionalCalls(plan).flatMap((call) => {
    const { frame } = call;
    const inputs = inputsOf(plan, call) ?? [];
    return inputs.filter(isChecked).map((input) => {
      const words = [lookups.isOpen(frame, input.name) ? 'wf_check_given_input' : 'wf_check_input'];
      return lookups.scopeLines(frame, input.name).concat([...words, ...checkWords(input)].join(' '));
    });
  });
  return distinct(lines);
}

/** Checks of the variables that conditions test: values such as `false` stop the script. */
function conditionChecks(plan: Plan, lookups: LookupTable, shown: (text: string) => string): readonly string[] {
  const lines = plan.ops.flatMap((op) => {
    const variable = op.kind === 'condition' ? conditionParts(op.test).variable : undefined;
    if (op.kind !== 'condition' || variable === undefined) return [];
    const label = `the condition of step ${op.step} of workflow '${shown(at(plan.calls, op.call).workflow)}'`;
    const check = `wf_check_condition ${variable} ${quote(label)}`;
    // The value of an output is checked when it is known, and hides that of the environment.
    const known = lookups.isOpen(op.frame, variable) ? [`wf_scope=(${variable}=)`] : [];
    return [[...lookups.scopeLines(op.frame, variable), ...known, check]];
  });
  return distinct(lines);
}

function argumentLines({ ops }: Plan): readonly string[] {
  if (ops.some(usesArguments)) return [];
  return [`((\${#wf_args[@]} == 0)) || wf_cannot_start 'nothing mentions the arguments after --'`];
}

/** A workflow with inputs accepts only parameters that it declares or mentions. */
function paramLines(plan: Plan): readonly string[] {
  if (at(plan.calls, 0).inputs === undefined) return [];
  const words = plan.ops.flatMap((op) => codeOf(op).match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? []);
  const mentioned = [...new Set([...variablesOf(plan), ...words])].toSorted();
  return [`wf_check_params ${mentioned.map((word) => (RESERVED.test(word) ? `'${word}'` : word)).join(' ')}`];
}

/** The lines of groups of lines, each group once. */
function distinct(groups: readonly (readonly string[])[]): readonly string[] {
  return [...new Map(groups.map((lines) => [lines.join('\n'), lines] as const)).values()].flat();
}
