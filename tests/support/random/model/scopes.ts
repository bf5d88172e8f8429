import type { RandomInclude, RandomInput, Variables } from '../random_file_types.ts';
import { replaceVariables } from './model_texts.ts';

/** The variables around a step, outermost first, and the inputs declared by the workflows around it. */
export type Scope = Readonly<{ layers: readonly Variables[]; inputs: readonly RandomInput[] }>;

/** A scope with more variables inside. */
export function inside(scope: Scope, ...layers: readonly Variables[]): Scope {
  return { ...scope, layers: [...scope.layers, ...layers] };
}

/** The directory that included files give to their workflows. */
export function dirInside(files: readonly RandomInclude[]): string | undefined {
  return files.findLast(({ dir }) => dir !== undefined)?.dir;
}

const YES = new Set(['true', 'yes', 'y', 'on', '1']);
const NO = new Set(['false', 'no', 'n', 'off', '0', '']);

const wordOf = (value: string): string => value.trim().toLowerCase();

/** Whether the value of a tested variable is negative. */
export function isNegative(value: string): boolean {
  return value !== '' && NO.has(wordOf(value)) && wordOf(value) !== '';
}

/** The values of variables in scopes: the rules of precedence, as simple as possible. */
export class Values {
  readonly #process: Variables;
  readonly #params: Variables;

  constructor(process: Variables, params: Variables) {
    this.#process = process;
    this.#params = params;
  }

  isOverridden(name: string): boolean {
    return this.#params.some(([param]) => param === name);
  }

  /** The variables of commands in a scope. */
  all(scope: Scope): ReadonlyMap<string, string> {
    const values = this.#given(scope);
    for (const { name, type } of scope.inputs) {
      // The innermost declaration of a name applies, and comes last.
      const value = this.#given(scope).get(name);
      if (value === undefined) continue;
      const word = wordOf(value);
      if (type !== 'boolean') values.set(name, value);
      else if (YES.has(word)) values.set(name, 'true');
      else values.set(name, NO.has(word) ? '' : value);
    }
    return values;
  }

  /** Whether any of some inputs has no valid value in a scope. */
  areInvalid(inputs: readonly RandomInput[], scope: Scope): boolean {
    const values = this.#given(scope);
    return inputs.some(({ name, type, required, options = [] }) => {
      const value = values.get(name);
      if (value === undefined || (required === true && value === '')) return required === true;
      if (type === 'boolean') return !YES.has(wordOf(value)) && !NO.has(wordOf(value));
      return type === 'choice' && !options.includes(value);
    });
  }

  /** A scope with the variables of included files. `layers` are those of the call into the files. */
  enter(files: readonly RandomInclude[], scope: Scope, layers: readonly Variables[] = []): Scope {
    return files.reduce((around, { env }) => inside(around, this.resolved(env, inside(around, ...layers))), scope);
  }

  /** Variables with the references of their values replaced, as looked up in a scope. */
  resolved(variables: Variables, scope: Scope): Variables {
    return variables.map(([name, value]) => [name, this.text(value, scope) ?? '']);
  }

  text(text: string | undefined, scope: Scope): string | undefined {
    const values = this.all(scope);
    return text === undefined ? undefined : replaceVariables(text, (name) => values.get(name));
  }

  /** The values as given by their sources. Of several defaults for a name, that of the innermost workflow applies. */
  #given({ layers, inputs }: Scope): Map<string, string> {
    const defaults = inputs.flatMap(({ name, default: preset }): Variables =>
      preset === undefined ? [] : [[name, preset]],
    );
    return new Map([...defaults, ...this.#process, ...layers.flat(), ...this.#params]);
  }
}
