import { brokenRule, VariableName } from '../../../../../frontend/schema/schema.ts';
import { ExpansionLimit } from '../expansion_limit.ts';
import { attempt, fail, LeftOut } from '../../imported.ts';
import { DEFAULT_TEXT, fixedText, type TemplatePart } from '../../shell_template.ts';
import { programsRead } from '../../programs_read.ts';
import type { Assignment } from './makefile_lines.ts';
import { callFunction, makeParts, replacedEnds } from './make_text.ts';

/** The values of `$@`, `$(@D)` and so on in a recipe. */
export type AutomaticVariables = ReadonlyMap<string, string>;

type Value =
  | Readonly<{ kind: 'recursive' | 'default'; text: string }>
  | Readonly<{ kind: 'simple'; parts: readonly TemplatePart[] }>
  | Readonly<{ kind: 'unknown'; reason: string }>;

/** Variables that make sets unless the environment does. */
const BUILT_IN = new Map(
  (
    'AR=ar ARFLAGS=rv AS=as CC=cc CO=co CTANGLE=ctangle CWEAVE=cweave CXX=g++ FC=f77 GET=get LD=ld LEX=lex LINT=lint ' +
    'M2C=m2c MAKEINFO=makeinfo OBJC=cc PC=pc TANGLE=tangle TEX=tex TEXI2DVI=texi2dvi WEAVE=weave YACC=yacc'
  )
    .split(' ')
    .map((each): [string, string] => [each.replace(/=.*/, ''), each.replace(/.*=/, '')])
    .concat([['RM', 'rm -f']]),
);

/** Variables that make computes. */
const COMPUTED =
  /^(?:\.|MAKE|CURDIR$|SUFFIXES$|(?:COMPILE|LINK|LINT|LEX|YACC|PREPROCESS|CHECKOUT)[.,]|CPP$|F77$|F77FLAGS$|GNUMAKEFLAGS$|MFLAGS$|OUTPUT_OPTION$)/;

const FUNCTION =
  /^(abspath|addprefix|addsuffix|and|basename|call|dir|error|eval|file|filter|filter-out|findstring|firstword|flavor|foreach|guile|if|info|intcmp|join|lastword|let|notdir|or|origin|patsubst|realpath|shell|sort|strip|subst|suffix|value|warning|wildcard|word|wordlist|words)(?:\s+(.*))?$/s;

/** The maximum length of a function's arguments, which it may multiply. */
const MAX_ARGUMENTS = 32 * 1024;

/** The variables of a Makefile. */
export class MakeVariables {
  readonly #values = new Map<string, Value>();
  readonly #isKnownElsewhere: (name: string) => boolean;
  readonly #makefile: string;
  /** A part of the file that was left out, and may set any variable. */
  #missing: string | undefined;
  readonly #expansions = new ExpansionLimit();

  constructor(makefile: string, isKnownElsewhere: (name: string) => boolean) {
    this.#makefile = makefile;
    this.#isKnownElsewhere = isKnownElsewhere;
  }

  get missing(): string | undefined {
    return this.#missing;
  }

  get names(): string[] {
    return [...this.#values.keys()];
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Notes that a part of the file is left out. It may set other variables, and those so far again. */
  leaveOut(part: string): void {
    this.#missing = part;
    for (const name of this.#values.keys()) {
      this.#values.set(name, { kind: 'unknown', reason: `which ${part} may set` });
    }
  }

  forget(name: string, reason: string): void {
    this.#values.set(name, { kind: 'unknown', reason });
  }

  assign({ name, operator, value, modifiers, isConditional }: Assignment): void {
    const before = this.#values.get(name);
    if (isConditional) this.forget(name, 'which is set under a condition');
    else if (/private|unexport/.test(modifiers)) this.forget(name, `which is '${modifiers.trim()}'`);
    else if (operator === '=') this.#values.set(name, { kind: 'recursive', text: value });
    else if (operator === ':=' || operator === '::=') this.#setParts(name, () => this.parts(value));
    else if (operator === '?=') {
      if (before === undefined && !BUILT_IN.has(name)) this.#values.set(name, { kind: 'default', text: value });
    } else if (operator !== '+=') this.forget(name, `which is set with '${operator}'`);
    else if (before?.kind === 'recursive') {
      this.#values.set(name, { kind: 'recursive', text: `${before.text} ${value}` });
    } else if (before?.kind !== 'unknown') {
      this.#setParts(name, () => [...this.#valueOf(name, new Map()), ' ', ...this.parts(value)]);
    }
  }

  #setParts(name: string, parts: () => readonly TemplatePart[]): void {
    const found = attempt(parts);
    if (found instanceof LeftOut) this.forget(name, `and ${found.message}`);
    else this.#values.set(name, { kind: 'simple', parts: found });
  }

  /** A text without variables of the environment. */
  constant(text: string, automatic?: AutomaticVariables): string {
    return this.parts(text, automatic)
      .map((part) => {
        if (typeof part === 'string') return part;
        if (part.text === undefined) throw new LeftOut(`it uses ${part.expansion}, which the environment may set`);
        return part.text;
      })
      .join('');
  }

  /** The parts of a text as a command. */
  parts(text: string, automatic: AutomaticVariables = new Map()): TemplatePart[] {
    return makeParts(text).flatMap((part) => {
      if (typeof part === 'string') return [part];
      return this.#expansions.counted(this.#reference(part.reference, automatic));
    });
  }

  /** The value of a variable for `env`: fixed, or with variables of the environment. */
  exported(name: string): string {
    const value = this.#values.get(name);
    const text =
      value?.kind === 'default'
        ? `\${vars.${name}:-${this.#plain(value.text)}}`
        : this.#valueOf(name, new Map()).map((part) => {
            if (typeof part === 'string') return this.#withoutDollar(part);
            return part.text === undefined ? variableReference(part.expansion) : this.#withoutDollar(part.text);
          });
    return typeof text === 'string' ? text : text.join('');
  }

  #withoutDollar(text: string): string {
    if (text.includes('$')) throw new LeftOut('its value has a $');
    return text;
  }

  #plain(text: string): string {
    const plain = this.constant(text);
    if (!DEFAULT_TEXT.test(plain)) throw new LeftOut('its default has characters with a meaning for the shell');
    return plain;
  }

  #reference(reference: string, automatic: AutomaticVariables): readonly TemplatePart[] {
    const known = automatic.get(reference);
    if (known !== undefined) return [known];
    const expand = (text: string): string => this.#expansions.nested(() => this.constant(text, automatic));
    const [, name, args = ''] = FUNCTION.exec(reference) ?? [];
    if (name !== undefined && !this.#values.has(name)) {
      const result = callFunction(name, args, limited(expand));
      return [result ?? fail(`it calls the function '${name}' of make`)];
    }
    const [, list, from, to] = /^([^:$]+):([^=]*)=(.*)$/s.exec(reference) ?? [];
    if (list !== undefined && from !== undefined && to !== undefined) {
      const argument = limited(expand);
      return [replacedEnds(argument(`$(${list})`), argument(from), argument(to))];
    }
    return this.#valueOf(reference.includes('$') ? expand(reference) : reference, automatic);
  }

  #valueOf(name: string, automatic: AutomaticVariables): readonly TemplatePart[] {
    const value = this.#values.get(name);
    if (value === undefined) return [this.#undefinedVariable(name)];
    if (value.kind === 'unknown') return fail(`it uses the variable '${name}', ${value.reason}`);
    if (value.kind === 'simple') return named(name, value.parts, this.#isKnownElsewhere(name));
    const itself = `the variable '${name}' refers to itself`;
    if (value.kind === 'default') return [this.#expansions.nested(() => this.#default(name, value.text), itself)];
    const found = this.#expansions.nested(() => this.parts(value.text, automatic), itself);
    return named(name, found, this.#isKnownElsewhere(name));
  }

  /** A variable that the environment may override. */
  #default(name: string, text: string): TemplatePart {
    if (brokenRule(VariableName, name) !== undefined) return this.constant(text);
    const parts = this.parts(text);
    const inner = parts.map((part) => {
      if (typeof part !== 'string') return part.expansion;
      return DEFAULT_TEXT.test(part) ? part : fail(`the default of the variable '${name}' has a meaning for the shell`);
    });
    const names = parts.flatMap((part) => (typeof part === 'string' ? [] : (part.name ?? [])));
    return { expansion: `\${${name}-${names.length > 0 ? this.#plain(text) : inner.join('')}}` };
  }

  #undefinedVariable(name: string): TemplatePart {
    if (name === 'MAKE' || name === 'MAKE_COMMAND') return 'make';
    if (name === 'CURDIR') return { expansion: '${PWD}' };
    if (name === 'MAKEFILE_LIST' && this.#missing === undefined) return this.#makefile;
    if (name === '' || COMPUTED.test(name) || /^[@%<?^+*|][DF]?$/.test(name)) {
      throw new LeftOut(`$(${name}) has no counterpart`);
    }
    const builtIn = BUILT_IN.get(name);
    if (builtIn !== undefined) return { expansion: `\${${name}-${builtIn}}` };
    if (this.#missing !== undefined)
      throw new LeftOut(`it uses the variable '${name}', which ${this.#missing} may set`);
    return brokenRule(VariableName, name) === undefined ? { expansion: `\${${name}:-}` } : '';
  }
}

/** The expansion of the arguments of one function. */
function limited(expand: (text: string) => string): (text: string) => string {
  let length = 0;
  return (text) => {
    const expanded = expand(text);
    length += expanded.length;
    return length > MAX_ARGUMENTS ? fail('it calls a function with more than 32 KiB of text') : expanded;
  };
}

/** The parts of a value as a single variable, if it is fixed and no program can mistake the variable for its own. */
function named(name: string, parts: readonly TemplatePart[], isKnownElsewhere: boolean): readonly TemplatePart[] {
  const text = fixedText(parts);
  if (text === undefined) return parts;
  const isName = brokenRule(VariableName, name) === undefined && !isKnownElsewhere && !programsRead(name);
  return [isName ? { expansion: `\${${name}}`, name, text } : text];
}

/** The reference of an `env` to a variable of the environment. */
function variableReference(expansion: string): string {
  const [, name, fallback = ''] = /^\$\{(\w+)(?::?-([^$]*))?\}$/.exec(expansion) ?? fail('its value is computed');
  return `\${vars.${name ?? ''}:-${fallback}}`;
}
