import { brokenRule, VariableName } from '../../../../../frontend/schema/schema.ts';
import { CALLER_DIRECTORY } from '../../../../../base/caller_reference.ts';
import { type JsonNode, isTrue, items, memberOf, members, stringOf } from '../../../../../frontend/syntax/json_tree.ts';
import { ExpansionLimit } from '../expansion_limit.ts';
import { attempt, fail, LeftOut } from '../../imported.ts';
import { DEFAULT_TEXT, fixedText, inserted, singleQuoted, type TemplatePart } from '../../shell_template.ts';
import { programsRead } from '../../programs_read.ts';

/** The parts that a recipe's parameters stand for, by name. */
export type Parameters = ReadonlyMap<string, readonly TemplatePart[]>;

/** The value of an expression. `isFixed`: no parameter changes it. `isArguments`: it is all arguments of the run. */
export type JustValue = Readonly<{ text: string; isFixed: boolean; isArguments?: true }>;

/** A shell variable name for a variable of just, which may contain dashes. */
export function shellName(name: string): string {
  return name.replaceAll('-', '_');
}

/** The variables of a justfile, and the values of expressions. */
export class JustExpressions {
  /** The exported variables, with values for `env`. */
  readonly exported = new Map<string, string>();
  /** The fixed values of the variables that commands expand. */
  readonly used = new Map<string, string>();
  /** Why no command can be converted: a variable that just exports or checks has an unknown value. */
  readonly unusable: string | undefined;
  readonly #assignments: JsonNode | undefined;
  readonly #expansions = new ExpansionLimit();
  readonly #isMentioned: (name: string) => boolean;

  constructor(root: JsonNode, isMentioned: (name: string) => boolean) {
    this.#assignments = memberOf(root, 'assignments');
    this.#isMentioned = isMentioned;
    const exportsAll = isTrue(memberOf(memberOf(root, 'settings'), 'export'));
    for (const { key, value } of members(this.#assignments)) {
      if (stops(memberOf(value, 'value')))
        this.unusable ??= `just checks the variable '${key}' before it runs a recipe`;
      if (!exportsAll && !isTrue(memberOf(value, 'export'))) continue;
      const found = attempt(() => this.value(memberOf(value, 'value')));
      if (found instanceof LeftOut) this.unusable ??= `just exports the variable '${key}', but ${found.message}`;
      else if (found.isFixed && found.text.includes('$')) this.unusable ??= `the exported variable '${key}' has a $`;
      else this.exported.set(key, found.text);
    }
  }

  /** The value of an expression for `env` or `with`: fixed, or with parameters as `${vars.NAME}`. */
  value(expression: JsonNode | undefined, parameters: Parameters = new Map()): JustValue {
    const parts = this.parts(expression, parameters);
    const [first] = parts;
    if (parts.length === 1 && typeof first !== 'string' && first?.expansion === '$*') {
      return { text: '', isFixed: false, isArguments: true };
    }
    const fixed = fixedText(parts);
    if (fixed !== undefined) return { text: fixed, isFixed: true };
    const texts = parts.map((part) => {
      const text = typeof part === 'string' ? part : part.text;
      if (text !== undefined) return text.includes('$') ? fail('its value has a $') : text;
      const [, name, fallback] =
        /^\$\{(\w+)(?:-([^$]*))?\}$/.exec(typeof part === 'string' ? '' : part.expansion) ?? [];
      if (name === undefined) return fail('it passes all its arguments on');
      return fallback === undefined ? `\${vars.${name}}` : `\${vars.${name}:-${fallback}}`;
    });
    return { text: texts.join(''), isFixed: false };
  }

  /** The parts of a command for an expression. */
  parts(expression: JsonNode | undefined, parameters: Parameters): readonly TemplatePart[] {
    const text = stringOf(expression);
    if (text !== undefined) return text === '' ? [] : [text];
    const [operator, ...operands] = items(expression);
    const [one, other] = operands;
    switch (stringOf(operator)) {
      case 'variable':
        return this.#variable(stringOf(one) ?? '', parameters);
      case 'concatenate':
      case 'format':
        return operands.flatMap((operand) => this.parts(operand, parameters));
      case 'join':
        return [...(one?.kind === 'null' ? [] : this.parts(one, parameters)), '/', ...this.parts(other, parameters)];
      case 'if':
        return this.#choice(operands, parameters);
      case 'call':
        return this.#call(stringOf(one) ?? '', operands.slice(1), parameters);
      case 'evaluate':
        return fail('it inserts the output of a command');
      case undefined:
      default:
        return fail('it has an expression that just computes');
    }
  }

  #variable(name: string, parameters: Parameters): readonly TemplatePart[] {
    const parameter = parameters.get(name);
    if (parameter !== undefined) return parameter;
    const value = memberOf(memberOf(this.#assignments, name), 'value');
    const parts = this.#expansions.counted(this.#expansions.nested(() => this.parts(value, new Map())));
    const text = fixedText(parts);
    if (text === undefined) return parts;
    const shell = shellName(name);
    const isVisible = !this.exported.has(name) && (programsRead(shell) || this.#isMentioned(shell));
    return isVisible || brokenRule(VariableName, shell) !== undefined ? [text] : [inserted(shell, text)];
  }

  #fixed(expression: JsonNode | undefined, parameters: Parameters): string {
    return fixedText(this.parts(expression, parameters)) ?? fail('it decides by a value that may change');
  }

  /** `if A == B { C } else { D }` with fixed values. */
  #choice([condition, yes, no]: readonly JsonNode[], parameters: Parameters): readonly TemplatePart[] {
    const [operator, left, right] = items(condition);
    const sign = stringOf(operator);
    if (sign !== '==' && sign !== '!=') throw new LeftOut('it has an expression that just computes');
    const isEqual = this.#fixed(left, parameters) === this.#fixed(right, parameters);
    return this.parts(isEqual === (sign === '==') ? yes : no, parameters);
  }

  #call(name: string, args: readonly JsonNode[], parameters: Parameters): readonly TemplatePart[] {
    const [one, other] = args;
    if (name === 'quote') return quoted(this.parts(one, parameters));
    if (/^invocation_dir(?:ectory)?(?:_native)?$/.test(name)) return [{ expansion: `\${${CALLER_DIRECTORY}}` }];
    const hasDefault = (name === 'env' && other !== undefined) || name === 'env_var_or_default';
    if (!hasDefault) throw new LeftOut(`it calls the function '${name}' of just`);
    const variable = this.#fixed(one, parameters);
    const fallback = this.#fixed(other, parameters);
    const isPlain = DEFAULT_TEXT.test(fallback) && brokenRule(VariableName, variable) === undefined;
    return isPlain
      ? [{ expansion: `\${${variable}-${fallback}}` }]
      : fail(`the default of '${variable}' is no plain text`);
  }
}

/** A value as one word of the shell. */
function quoted(parts: readonly TemplatePart[]): readonly TemplatePart[] {
  const text = fixedText(parts);
  return text === undefined ? ['"', ...parts, '"'] : [singleQuoted(text)];
}

/** Whether an expression can end just with an error. */
function stops(expression: JsonNode | undefined): boolean {
  const [operator, name] = items(expression).map(stringOf);
  if (operator === 'assert' || (operator === 'call' && name === 'error')) return true;
  return items(expression).some(stops);
}
