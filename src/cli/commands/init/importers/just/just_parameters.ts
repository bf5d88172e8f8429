import { isTrue, items, memberOf, stringOf, type JsonNode } from '../../../../../frontend/syntax/json_tree.ts';
import { LeftOut, type ImportedStep } from '../../imported.ts';
import { allArguments, DEFAULT_TEXT, type TemplatePart } from '../../shell_template.ts';
import { programsRead } from '../../programs_read.ts';
import type { ImportedUses } from '../../imported_uses.ts';
import { shellName, type JustValue } from './just_expressions.ts';

export type Parameter = Readonly<{
  name: string;
  /** The name of its variable. */
  variable: string;
  isRequired: boolean;
  isVariadic: boolean;
  default: JsonNode | undefined;
}>;

/** The parameters of a recipe. */
export function parametersOf(recipe: JsonNode | undefined): Parameter[] {
  return items(memberOf(recipe, 'parameters')).map((node) => {
    const kind = stringOf(memberOf(node, 'kind'));
    const name = stringOf(memberOf(node, 'name')) ?? '';
    const given = memberOf(node, 'default');
    const fallback = given === undefined || given.kind === 'null' ? undefined : given;
    if (['long', 'short'].some((option) => stringOf(memberOf(node, option)) !== undefined)) {
      throw new LeftOut(`its parameter '${name}' is an option`);
    }
    if (items(memberOf(node, 'pattern')).length > 0) throw new LeftOut(`its parameter '${name}' has a pattern`);
    const variable = shellName(name);
    if (programsRead(variable) && !isTrue(memberOf(node, 'export'))) {
      throw new LeftOut(`programs would take its parameter '${name}' for a variable of their own`);
    }
    const isVariadic = kind === 'star' || kind === 'plus';
    return { name, variable, isRequired: fallback === undefined && kind !== 'star', isVariadic, default: fallback };
  });
}

/** Steps that fail without the arguments that a parameter requires: before all others, as in just. */
export function argumentChecks(parameters: readonly Parameter[]): ImportedStep[] {
  const required = parameters.filter(({ isRequired, isVariadic }) => isRequired && isVariadic);
  return required.map(({ name }) => ({ run: `: "\${*:?${name} is missing}"` }));
}

/** The text of a parameter in a command. A list of values is the arguments of the run. */
export function parameterPart({ name, variable, isVariadic, isRequired }: Parameter, fallback: string): TemplatePart {
  if (!isVariadic) return { expansion: `\${${variable}}` };
  if (isRequired) return allArguments('');
  if (!DEFAULT_TEXT.test(fallback))
    throw new LeftOut(`the default of its parameter '${name}' has a meaning for the shell`);
  return allArguments(fallback);
}

/** The defaults of parameters, for `env`. */
export function defaults(
  parameters: readonly Parameter[],
  values: ReadonlyMap<string, JustValue>,
  uses: ImportedUses,
): [variable: string, value: string][] {
  return parameters.flatMap(({ name, variable, isRequired, isVariadic }): [string, string][] => {
    const value = values.get(variable);
    if (isRequired || isVariadic || value === undefined) return [];
    const isSafe = !value.isFixed || (!value.text.includes('$') && uses.isSafe(variable, value.text));
    if (!isSafe) throw new LeftOut(`the default of its parameter '${name}' has a meaning for the shell`);
    return [[variable, value.text]];
  });
}

/** The values of parameters by variable. The last parameter takes all remaining values. */
export function givenValues(
  parameters: readonly Parameter[],
  values: readonly JustValue[],
): ReadonlyMap<string, JustValue> {
  const given = parameters.slice(0, values.length).flatMap((parameter, index) => {
    const own = parameter.isVariadic ? values.slice(index) : values.slice(index, index + 1);
    if (passesArguments(parameter, own)) return [];
    const text = own.map((each) => each.text).join(' ');
    return [[parameter.variable, { text, isFixed: own.every((each) => each.isFixed) }] as const];
  });
  return new Map(given);
}

/** Whether a called recipe gets all arguments of the run, which it has anyway. */
function passesArguments({ isVariadic, isRequired, default: fallback }: Parameter, own: readonly JustValue[]): boolean {
  return own.length === 1 && own[0]?.isArguments === true && isVariadic && !isRequired && fallback === undefined;
}

/** Whether variables can hold the arguments of a call, so that the commands mean the same as with the text. */
export function canHold(
  parameters: readonly Parameter[],
  values: readonly JustValue[],
  given: ReadonlyMap<string, JustValue>,
  uses: ImportedUses,
  file: Readonly<{ isShared: (variable: string) => boolean; isOnlyVariadic: boolean }>,
): boolean {
  return parameters.every(({ variable, isVariadic }) => {
    const value = given.get(variable);
    if (isVariadic) {
      const passesAll = values.at(-1)?.isArguments === true && values.length === parameters.length;
      return value === undefined && (passesAll || file.isOnlyVariadic);
    }
    if (value?.text === `\${vars.${variable}}`) return true;
    // A parameter of the run or the variable of another recipe would override it.
    if (file.isShared(variable)) return false;
    if (value === undefined || !value.isFixed) return true;
    return !value.text.includes('$') && uses.isSafe(variable, value.text);
  });
}
