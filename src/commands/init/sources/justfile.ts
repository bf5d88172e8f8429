import { dirname, join } from 'node:path';
import type { JsonNode } from '../../../frontend/syntax/json_tree.ts';
import { sourceDirectory } from '../import_kind.ts';
import { attempt, LeftOut, named, type Imported, type ImportedStep, type ImportedWorkflow } from '../imported.ts';
import { isTrue, items, member, members, stringOf } from './json_value.ts';
import { JustExpressions, shellName, type Parameters } from './just_expressions.ts';
import { recipeSteps } from './just_recipe.ts';

/** Settings that need no conversion. */
const IGNORED_SETTINGS =
  /^(?:allow_duplicate_\w+|dotenv_(?:load|filename|path)|eager|export|ignore_comments|indentation|lazy|no_cd|no_exit_message|quiet|shell|tempdir|unstable|windows_\w+|working_directory)$/;

/** Attributes that are converted, or have no effect on a workflow. */
const KNOWN_ATTRIBUTES = new Set([
  'confirm',
  'doc',
  'no-cd',
  'no-exit-message',
  'no-quiet',
  'private',
  'working-directory',
  'default',
]);

/** Attributes that are dropped with a warning, because recipes work without them. */
const DROPPED_ATTRIBUTES = new Set(['exit-message', 'extension', 'group', 'metadata', 'parallel', 'unix']);

type Parameter = Readonly<{ name: string; isRequired: boolean; isVariadic: boolean; default: JsonNode | undefined }>;

/** The recipes of a justfile as workflows, from the output of `just --dump`. */
export function importJustfile(path: string, root: JsonNode): Imported {
  return new Justfile(path, root).convert();
}

class Justfile {
  readonly #path: string;
  readonly #root: JsonNode;
  readonly #settings: JsonNode | undefined;
  readonly #expressions: JustExpressions;
  readonly #leftOut: string[] = [];
  /** The reasons why recipes are left out, by name. */
  readonly #reasons = new Map<string, string>();
  /** The recipes with an attribute that is left out, by attribute. */
  readonly #dropped = new Map<string, string[]>();

  constructor(path: string, root: JsonNode) {
    this.#path = path;
    this.#root = root;
    this.#settings = member(root, 'settings');
    this.#expressions = new JustExpressions(member(root, 'assignments'));
  }

  convert(): Imported {
    for (const { key, value } of members(this.#settings)) {
      const isSet = !(
        value.kind === 'null' ||
        (value.kind === 'boolean' && !value.value) ||
        (value.kind === 'array' && value.items.length === 0)
      );
      if (isSet && !IGNORED_SETTINGS.test(key)) this.#leftOut.push(`setting '${key.replaceAll('_', '-')}' is left out`);
    }
    this.#leftOut.push(...this.#expressions.leftOut);
    for (const { key } of members(member(this.#root, 'modules'))) this.#leftOut.push(`module '${key}' is left out`);
    const recipes = this.#recipes();
    for (const [name, reason] of this.#reasons) this.#leftOut.push(`recipe '${name}' is left out: ${reason}`);
    for (const [attribute, names] of this.#dropped) {
      this.#leftOut.push(`attribute '${attribute}' of ${named('recipe', names)} is left out`);
    }
    const env = new Map([...this.#expressions.values].map(([name, value]) => [shellName(name), value]));
    const first = stringOf(member(this.#root, 'first'));
    return { noun: 'recipe', default: first, dotenv: this.#dotenv(), env, workflows: recipes, leftOut: this.#leftOut };
  }

  /** The recipes that can be converted. Repeats until no recipe fails, because callers of a failed recipe fail too. */
  #recipes(): ImportedWorkflow[] {
    for (;;) {
      const before = this.#reasons.size;
      this.#dropped.clear();
      const workflows = members(member(this.#root, 'recipes')).flatMap(({ key, value }): ImportedWorkflow[] => {
        if (this.#reasons.has(key)) return [];
        const workflow = attempt(() => this.#workflow(key, value));
        if (!(workflow instanceof LeftOut)) return [workflow];
        this.#reasons.set(key, workflow.message);
        return [];
      });
      if (this.#reasons.size === before) return workflows;
    }
  }

  /** The dotenv file named in the settings. */
  #dotenv(): string[] {
    const setting = (name: string): string | undefined => stringOf(member(this.#settings, `dotenv_${name}`));
    const file =
      setting('path') ?? setting('filename') ?? (isTrue(member(this.#settings, 'dotenv_load')) ? '.env' : '');
    if (file === '') return [];
    return [file.startsWith('/') ? file : join(dirname(this.#path), file)];
  }

  #workflow(name: string, recipe: JsonNode): ImportedWorkflow {
    const attributes = items(member(recipe, 'attributes'));
    const dir = this.#directory(name, attributes);
    const parameters = this.#parameters(recipe);
    const env = new Map<string, string>();
    for (const { name: parameter, default: value } of parameters) {
      if (value !== undefined) env.set(shellName(parameter), this.#expressions.constant(value));
    }
    const expansions = new Map(
      parameters.map((each) => [each.name, { expansion: `\${${shellName(each.name)}}` }] as const),
    );
    const body = recipeSteps(
      member(recipe, 'body'),
      isTrue(member(recipe, 'shebang')),
      (expression) => this.#expressions.parts(expression, expansions),
      ([target = '', ...values]) => this.#nestedCall(target, values, parameters),
    );
    this.#checkShell(body);
    if (body.length === 1 && body.every((step) => 'run' in step && /^just (?:-l|--list)\b/.test(step.run))) {
      throw new LeftOut("'cli list' lists the workflows");
    }
    const calls = items(member(recipe, 'dependencies')).map((each) => this.#dependency(each, expansions));
    const prior = member(recipe, 'priors');
    const before = prior?.kind === 'number' ? prior.value : calls.length;
    return {
      name,
      description: stringOf(member(recipe, 'doc')),
      private: isTrue(member(recipe, 'private')),
      aliases: members(member(this.#root, 'aliases')).flatMap((alias) =>
        stringOf(member(alias.value, 'target')) === name ? [alias.key] : [],
      ),
      required: parameters.flatMap((each) => (each.isRequired ? [shellName(each.name)] : [])),
      env,
      dir,
      steps: [...question(name, attributes), ...calls.slice(0, before), ...body, ...calls.slice(before)],
    };
  }

  /** The working directory of a recipe, which its attributes may turn off. */
  #directory(name: string, attributes: readonly JsonNode[]): string | undefined {
    const names = attributes.map((each) => stringOf(each) ?? members(each)[0]?.key ?? '');
    for (const each of names.filter((known) => !KNOWN_ATTRIBUTES.has(known))) {
      if (!DROPPED_ATTRIBUTES.has(each)) throw new LeftOut(`its attribute '${each}' has no counterpart`);
      this.#dropped.set(each, [...(this.#dropped.get(each) ?? []), name]);
    }
    if (names.includes('no-cd') || isTrue(member(this.#settings, 'no_cd'))) return undefined;
    const own = attributes.map((each) => stringOf(member(each, 'working-directory'))).find((dir) => dir !== undefined);
    const dir = own ?? stringOf(member(this.#settings, 'working_directory')) ?? '.';
    return sourceDirectory(dir.startsWith('/') ? dir : join(dirname(this.#path), dir));
  }

  #parameters(recipe: JsonNode | undefined): Parameter[] {
    return items(member(recipe, 'parameters')).map((each) => this.#parameter(each));
  }

  #parameter(node: JsonNode): Parameter {
    const kind = stringOf(member(node, 'kind'));
    const name = stringOf(member(node, 'name')) ?? '';
    const given = member(node, 'default');
    const fallback = given === undefined || given.kind === 'null' ? undefined : given;
    if (['long', 'short'].some((option) => stringOf(member(node, option)) !== undefined)) {
      throw new LeftOut(`its parameter '${name}' is an option`);
    }
    const empty: JsonNode = { kind: 'string', value: '', start: 0, end: 0 };
    const value = fallback ?? (kind === 'star' ? empty : undefined);
    return { name, isRequired: value === undefined, isVariadic: kind === 'star' || kind === 'plus', default: value };
  }

  /** The call of a dependency, with the values of its parameters. */
  #dependency(node: JsonNode, scope: Parameters): ImportedStep {
    const workflow = stringOf(member(node, 'recipe')) ?? '';
    if (this.#reasons.has(workflow)) throw new LeftOut(`it depends on '${workflow}', which is left out`);
    const values = items(member(node, 'arguments')).map((each) => this.#expressions.constant(each, scope));
    const given = argumentsOf(this.#parameters(member(member(this.#root, 'recipes'), workflow)), values);
    const clash = [...given].find(([name, value]) => hides(scope.keys(), name, value));
    if (clash !== undefined) throw new LeftOut(`its parameter '${clash[0]}' would also be that of '${workflow}'`);
    return { workflow, ...(given.size === 0 ? {} : { with: given }), once: true };
  }

  /** The call that a line `just target …` makes; undefined if it remains a command. */
  #nestedCall(target: string, values: readonly string[], scope: readonly Parameter[]): ImportedStep | undefined {
    const alias = member(member(this.#root, 'aliases'), target);
    const workflow = stringOf(member(alias, 'target')) ?? target;
    const recipe = member(member(this.#root, 'recipes'), workflow);
    const parameters = attempt(() => this.#parameters(recipe));
    if (recipe === undefined || this.#reasons.has(workflow) || parameters instanceof LeftOut) return undefined;
    const isOpen = parameters.at(-1)?.isVariadic === true;
    if (values.length > parameters.length && !isOpen) return undefined;
    if (parameters.slice(values.length).some(({ isRequired }) => isRequired)) return undefined;
    const names = scope.map(({ name }) => name);
    const given = argumentsOf(parameters, values);
    const isHidden = parameters.some(({ name }) => hides(names, shellName(name), given.get(shellName(name))));
    return isHidden ? undefined : { workflow, ...(given.size === 0 ? {} : { with: given }) };
  }

  #checkShell(body: readonly ImportedStep[]): void {
    const shell = stringOf(member(member(this.#settings, 'shell'), 'command'));
    if (body.length > 0 && shell !== undefined && !/(?:^|\/)(?:ba)?sh$/.test(shell)) {
      throw new LeftOut(`its shell is ${shell}`);
    }
    const isPositional = isTrue(member(this.#settings, 'positional_arguments'));
    if (isPositional && body.some((step) => 'run' in step && /\$[\d@*#]/.test(step.run))) {
      throw new LeftOut('it uses positional arguments');
    }
  }
}

/** The values of parameters by name. The last parameter takes all remaining values. */
function argumentsOf(parameters: readonly Parameter[], values: readonly string[]): Map<string, string> {
  const given = parameters.slice(0, values.length).map(({ name }, index, { length }) => {
    const value = index === length - 1 ? values.slice(index).join(' ') : values[index];
    return [shellName(name), value ?? ''] as const;
  });
  return new Map(given);
}

/** Whether a parameter of the caller overrides a parameter of the same name in the callee with another value. */
function hides(callers: Iterable<string>, name: string, value: string | undefined): boolean {
  return value !== `\${vars.${name}}` && [...callers].some((each) => shellName(each) === name);
}

/** The confirmation step of a recipe with the attribute `confirm`. */
function question(name: string, attributes: readonly JsonNode[]): ImportedStep[] {
  const asks = attributes.filter((each) => stringOf(each) === 'confirm' || member(each, 'confirm') !== undefined);
  return asks.map((each) => {
    const text = member(each, 'confirm');
    return { name: 'confirm', run: ':', confirm: stringOf(text) ?? `Run recipe '${name}'?` };
  });
}
