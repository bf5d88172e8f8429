import type { ImportedUses } from '../../imported_uses.ts';
import type { JustValue } from './just_expressions.ts';
import type { Parameter } from './just_parameters.ts';

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
