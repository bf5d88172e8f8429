import { type JsonNode, isTrue, items, memberOf, stringOf } from '../../../../../frontend/syntax/json_tree.ts';
import { LeftOut, type ImportedStep } from '../../imported.ts';
import { DEFAULT_TEXT, type TemplatePart } from '../../shell_template.ts';
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
  if (isRequired || fallback === '') return { expansion: '$*', unquoted: '"$@"' };
  if (!DEFAULT_TEXT.test(fallback))
    throw new LeftOut(`the default of its parameter '${name}' has a meaning for the shell`);
  return { expansion: `\${*:-${fallback}}`, unquoted: `\${@:-${fallback}}` };
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
