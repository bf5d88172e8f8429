import { brokenRule, VariableName } from '../../../frontend/schema/schema.ts';
import type { JsonNode } from '../../../frontend/syntax/json_tree.ts';
import { attempt, LeftOut } from '../imported.ts';
import { items, member, members, stringOf } from './json_value.ts';
import { inserted, type TemplatePart } from '../shell_template.ts';

/** The expansions of a recipe's parameters, by name. */
export type Parameters = ReadonlyMap<string, TemplatePart>;

/** A shell variable name for a variable of just, which may contain dashes. */
export function shellName(name: string): string {
  return name.replaceAll('-', '_');
}

/** The variables of a justfile with fixed values, and the values of expressions. */
export class JustExpressions {
  readonly values = new Map<string, string>();
  /** A line for each variable with a computed value. */
  readonly leftOut: string[] = [];
  readonly #assignments: JsonNode | undefined;

  constructor(assignments: JsonNode | undefined) {
    this.#assignments = assignments;
    for (const { key, value } of members(assignments)) {
      const isName = brokenRule(VariableName, shellName(key)) === undefined;
      const constant = attempt(() => (isName ? this.constant(member(value, 'value')) : fail('a file cannot set it')));
      if (constant instanceof LeftOut) this.leftOut.push(`variable '${key}' is left out: ${constant.message}`);
      else this.values.set(key, constant);
    }
  }

  /**
   * The value of an expression. Parameters are allowed where `parameters` has them, and become `${vars.NAME}`: the value
   * belongs in a `with`.
   */
  constant(expression: JsonNode | undefined, parameters: Parameters = new Map()): string {
    const text = stringOf(expression);
    if (text !== undefined) return text.includes('$') ? fail('its value holds a $') : text;
    const [operator, one, other] = items(expression);
    switch (stringOf(operator)) {
      case 'variable': {
        const name = stringOf(one) ?? '';
        if (parameters.has(name)) return `\${vars.${shellName(name)}}`;
        return this.constant(member(member(this.#assignments, name), 'value'));
      }
      case 'concatenate':
        return `${this.constant(one, parameters)}${this.constant(other, parameters)}`;
      case 'join':
        return `${one?.kind === 'null' ? '' : this.constant(one, parameters)}/${this.constant(other, parameters)}`;
      case undefined:
      default:
        return fail('its value is computed by just');
    }
  }

  /** The parts of a command for an expression. */
  parts(expression: JsonNode | undefined, parameters: Parameters): TemplatePart[] {
    const text = stringOf(expression);
    if (text !== undefined) return [text];
    const [operator, one, other] = items(expression);
    if (stringOf(operator) === 'concatenate') return [...this.parts(one, parameters), ...this.parts(other, parameters)];
    if (stringOf(operator) !== 'variable') throw new LeftOut('it has an expression that just computes');
    const name = stringOf(one) ?? '';
    const value = this.values.get(name);
    if (value !== undefined && !parameters.has(name)) return [inserted(shellName(name), value)];
    return [parameters.get(name) ?? fail(`it uses the variable '${name}', which is left out`)];
  }
}

function fail(reason: string): never {
  throw new LeftOut(reason);
}
