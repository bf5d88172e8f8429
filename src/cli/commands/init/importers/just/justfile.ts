import { type JsonNode, isTrue, items, memberOf, members, stringOf } from '../../../../../frontend/syntax/json_tree.ts';
import { ExpansionLimit, MAX_DEPTH } from '../expansion_limit.ts';
import { sourceDirectory } from '../../import_kind.ts';
import { attempt, calledAmong, fail, LeftOut, named, together } from '../../imported.ts';
import type { Imported, ImportedStep, ImportedWorkflow, Unconverted } from '../../imported.ts';
import type { TemplatePart } from '../../shell_template.ts';
import { expandsVariable, forwardUses, ImportedUses } from '../../imported_uses.ts';
import { canHold, givenValues, argumentChecks, defaults, parameterPart, parametersOf } from './just_parameters.ts';
import type { Parameter } from './just_parameters.ts';
import { cachedBody, recipeSteps, textOf } from './just_recipe.ts';
import { JustExpressions, shellName, type JustValue, type Parameters } from './just_expressions.ts';
import {
  checkSettings,
  directoryOf,
  dotenvFiles,
  aliasesOf,
  attributeVariables,
  callOfJust,
  questions,
  scriptShell,
} from './just_settings.ts';
import type { JustSettings } from './just_settings.ts';

/** A recipe as a workflow, with the places where it uses its parameters. */
type Converted = Readonly<{ workflow: ImportedWorkflow; parameters: readonly Parameter[]; uses: ImportedUses }>;

type Caller = Readonly<{ parameters: Parameters; uses: ImportedUses }>;

/** The recipes of a justfile as workflows, from the output of `just --dump`. */
export function importJustfile(path: string, root: JsonNode): Imported {
  return new Justfile(path, root).convert();
}

class Justfile {
  readonly #path: string;
  readonly #root: JsonNode;
  readonly #settings: JustSettings;
  readonly #expressions: JustExpressions;
  readonly #leftOut: (string | Unconverted)[] = [];
  /** The recipes by name, and the copies with fixed arguments. Undefined during the conversion. */
  readonly #converted = new Map<string, Converted | LeftOut | undefined>();
  readonly #copies: ImportedWorkflow[] = [];
  readonly #chain = new ExpansionLimit();
  /** The recipes that have a parameter, by the name of its variable. */
  readonly #owners = new Map<string, string[]>();

  constructor(path: string, root: JsonNode) {
    this.#path = path;
    this.#root = root;
    const bodies = members(memberOf(root, 'recipes')).map(({ value }) => textOf(memberOf(value, 'body')));
    const isMentioned = (name: string): boolean => {
      return bodies.some((body) => expandsVariable(body, name));
    };
    this.#expressions = new JustExpressions(root, isMentioned);
    this.#settings = checkSettings(root, this.#leftOut);
    for (const { key, value } of members(memberOf(root, 'recipes'))) {
      for (const node of items(memberOf(value, 'parameters'))) {
        const variable = shellName(stringOf(memberOf(node, 'name')) ?? '');
        this.#owners.set(variable, [...(this.#owners.get(variable) ?? []), key]);
      }
    }
    for (const { key } of members(memberOf(root, 'assignments'))) this.#owners.get(shellName(key))?.push('');
  }

  convert(): Imported {
    const names = members(memberOf(this.#root, 'recipes')).map(({ key }) => key);
    const workflows = names.flatMap((name) => {
      const converted = this.#recipe(name);
      if (!(converted instanceof LeftOut)) return converted === undefined ? [] : [converted.workflow];
      this.#leftOut.push({ name, reason: converted.message });
      return [];
    });
    for (const [attribute, recipes] of this.#settings.dropped) {
      this.#leftOut.push(`attribute '${attribute}' of ${named('recipe', [...recipes])} is left out`);
    }
    const { exported, used } = this.#expressions;
    const env = new Map([...used, ...[...exported].map(([name, value]) => [shellName(name), value] as const)]);
    return {
      noun: 'recipe',
      default: stringOf(memberOf(this.#root, 'first')),
      dotenv: dotenvFiles(this.#root, this.#path),
      env,
      workflows: [...workflows, ...calledAmong(this.#copies, workflows)],
      leftOut: this.#leftOut,
      call: (name) => callOfJust(this.#path, this.#root, name),
    };
  }

  /**
   * The conversion of a recipe, or of a copy of it with arguments as text. Undefined while it goes on, for a recipe that
   * calls itself.
   */
  #recipe(name: string, title = name, args?: ReadonlyMap<string, string>): Converted | LeftOut | undefined {
    if (this.#converted.has(title)) return this.#converted.get(title);
    this.#converted.set(title, undefined);
    const reason = `it depends on recipes more than ${MAX_DEPTH} levels deep`;
    const converted = attempt(() => this.#chain.nested(() => this.#convert(name, title, args), reason));
    this.#converted.set(title, converted);
    if (args !== undefined && !(converted instanceof LeftOut)) this.#copies.push(converted.workflow);
    return converted;
  }

  /** Converts a recipe, with arguments as text if they are given. */
  #convert(name: string, title: string, args: ReadonlyMap<string, string> | undefined): Converted {
    const recipe = memberOf(memberOf(this.#root, 'recipes'), name);
    const attributes = items(memberOf(recipe, 'attributes'));
    const dir = sourceDirectory(directoryOf(name, attributes, this.#path, this.#settings));
    const parameters = parametersOf(recipe);
    /** The parameters that remain variables. */
    const open = args === undefined ? parameters : [];
    const uses = new ImportedUses();
    const env = attributeVariables(attributes);
    const hasOwnEnv = env.size > 0;
    const fallbacks = new Map(
      parameters.map((each) => [
        each.variable,
        each.default === undefined ? { text: '', isFixed: true } : this.#expressions.value(each.default),
      ]),
    );
    const parts = new Map<string, readonly TemplatePart[]>(
      parameters.map((each) => {
        const fallback = fallbacks.get(each.variable);
        if (args === undefined) return [each.name, [parameterPart(each, fallback?.text ?? '')]];
        if (!args.has(each.variable) && fallback?.isFixed === false) throw new LeftOut('its default may change');
        return [each.name, [args.get(each.variable) ?? fallback?.text ?? '']];
      }),
    );
    const caller = { parameters: parts, uses };
    const body = cachedBody(
      attributes,
      this.#body(recipe, attributes, caller),
      (expression) => this.#expressions.value(expression, parts),
      () => this.#settings.drop('cache', name),
    );
    const dependencies = items(memberOf(recipe, 'dependencies'));
    const prior = memberOf(recipe, 'priors');
    const before = prior?.kind === 'number' ? prior.value : dependencies.length;
    const calls = dependencies.map((each, index) => this.#dependency(each, caller, index < before ? true : 'after'));
    const isHiding = open.some((each) => this.#owners.get(each.variable)?.includes('') === true);
    const hasCalls = calls.length > 0 || body.some((step) => 'workflow' in step);
    if (hasCalls && isHiding) throw new LeftOut('a parameter hides a variable of the file');
    if (hasCalls && hasOwnEnv) throw new LeftOut("its 'env' would hold in the recipes that it calls");
    for (const [variable, value] of defaults(open, fallbacks, uses)) env.set(variable, value);
    const isParallel = attributes.some((each) => stringOf(each) === 'parallel');
    const workflow = {
      name: title,
      description: stringOf(memberOf(recipe, 'doc')),
      private: isTrue(memberOf(recipe, 'private')) || args !== undefined,
      aliases: args === undefined ? aliasesOf(this.#root, name) : [],
      required: open.flatMap((each) => (each.isRequired && !each.isVariadic ? [each.variable] : [])),
      env,
      dir,
      steps: [
        ...argumentChecks(open),
        ...questions(name, attributes),
        ...together(calls.slice(0, before), isParallel),
        ...body,
        ...together(calls.slice(before), isParallel),
      ],
    };
    return { workflow, parameters, uses };
  }

  #body(recipe: JsonNode | undefined, attributes: readonly JsonNode[], caller: Caller): readonly ImportedStep[] {
    const body = memberOf(recipe, 'body');
    if (items(body).length === 0) return [];
    const { shell, isPositional, unusable } = this.#settings;
    const reason = unusable ?? this.#expressions.unusable;
    if (reason !== undefined) throw new LeftOut(reason);
    if (isPositional && /\$[\d@*#]|\$\{\d/.test(textOf(body))) throw new LeftOut('it uses positional arguments');
    const script = attributes.find((each) => memberOf(each, 'script') !== undefined);
    const steps = recipeSteps(body, isTrue(memberOf(recipe, 'shebang')), {
      shell: shell ?? fail(`its shell is ${this.#settings.shellName}`),
      script: script === undefined ? undefined : scriptShell(memberOf(script, 'script'), this.#root),
      toParts: (expression) => this.#expressions.parts(expression, caller.parameters),
      toCall: ([target = '', ...values]) => this.#nestedCall(target, values, caller),
      used: this.#expressions.used,
      note: caller.uses.note,
    });
    if (steps.length === 1 && steps.every((step) => 'run' in step && /^just (?:-l|--list)\b/.test(String(step.run)))) {
      throw new LeftOut("'cli list' lists the workflows");
    }
    return steps;
  }

  #dependency(node: JsonNode, caller: Caller, once: true | 'after'): ImportedStep {
    const name = stringOf(memberOf(node, 'recipe')) ?? '';
    const values = items(memberOf(node, 'arguments')).map((each) => this.#expressions.value(each, caller.parameters));
    return { ...this.#call(name, values, caller), once };
  }

  /** The call that a line `just target …` makes; undefined if it remains a command. */
  #nestedCall(target: string, words: readonly string[], caller: Caller): ImportedStep | undefined {
    const alias = memberOf(memberOf(this.#root, 'aliases'), target);
    const name = stringOf(memberOf(alias, 'target')) ?? target;
    const recipe = memberOf(memberOf(this.#root, 'recipes'), name);
    if (recipe === undefined || this.#recipe(name) instanceof LeftOut || this.#recipe(name) === undefined)
      return undefined;
    const parameters = parametersOf(recipe);
    const isOpen = parameters.at(-1)?.isVariadic === true;
    if (words.length > parameters.length && !isOpen) return undefined;
    if (parameters.slice(words.length).some(({ isRequired }) => isRequired)) return undefined;
    const values = words.map((text) => ({ text, isFixed: !text.includes('${') }));
    const call = attempt(() => this.#call(name, values, caller));
    return call instanceof LeftOut ? undefined : call;
  }

  /** The call of a recipe: with variables, or of a copy with the arguments as text. */
  #call(
    name: string,
    values: readonly JustValue[],
    caller: Caller,
  ): Readonly<{ workflow: string; with?: ReadonlyMap<string, string> }> {
    const callee = this.#recipe(name) ?? fail(`it depends on '${name}', which depends on it`);
    if (callee instanceof LeftOut) throw new LeftOut(`it depends on '${name}', which is not converted`);
    const { parameters, uses } = callee;
    const given = givenValues(parameters, values);
    const isPlain = canHold(parameters, values, given, uses, {
      isShared: (variable) => (this.#owners.get(variable)?.length ?? 0) > 1,
      isOnlyVariadic: this.#settings.variadicCount === 1,
    });
    if (!isPlain) return this.#copy(name, given);
    for (const [variable, { text }] of given) forwardUses(text, uses.of(variable), caller.uses);
    const texts = new Map([...given].map(([variable, { text }]) => [variable, text]));
    return { workflow: name, ...(texts.size === 0 ? {} : { with: texts }) };
  }

  /** The call of a copy of a recipe, with its arguments as text. */
  #copy(name: string, given: ReadonlyMap<string, JustValue>): { workflow: string } {
    if ([...given.values()].some(({ isFixed }) => !isFixed)) {
      throw new LeftOut(`a variable cannot hold its argument for '${name}'`);
    }
    const args = new Map([...given].map(([variable, { text }]) => [variable, text]));
    const title = [name, ...args.values()].join(' ').replaceAll(/\s+/g, ' ').trim();
    const workflow = title === name ? `${name} (without arguments)` : title;
    const copy = this.#recipe(name, workflow, args);
    if (copy instanceof LeftOut || copy === undefined)
      throw new LeftOut(`it depends on '${name}', which is not converted`);
    return { workflow };
  }
}
