import { dirname, join } from 'node:path';
import type { JsonNode } from '../../../frontend/syntax/json_tree.ts';
import { sourceDirectory } from '../import_kind.ts';
import { attempt, LeftOut, type Imported, type ImportedStep, type ImportedWorkflow } from '../imported.ts';
import { isTrue, items, member, members, textOf } from './json_value.ts';
import { JustExpressions, shellName } from './just_expressions.ts';
import { recipeSteps } from './just_recipe.ts';
import type { TemplatePart } from '../shell_template.ts';

/** Settings that change nothing here. */
const HARMLESS =
  /^(?:allow_duplicate_\w+|eager|export|ignore_comments|indentation|lazy|no_cd|no_exit_message|quiet|shell|tempdir|unstable|windows_\w+|working_directory)$/;

/** Attributes that change nothing here, or are handled elsewhere. */
const HANDLED = new Set(['doc', 'no-cd', 'no-exit-message', 'no-quiet', 'private', 'working-directory', 'default']);

/** Attributes that can be left out without an effect on the recipe. */
const DISPENSABLE = new Set(['exit-message', 'extension', 'group', 'metadata', 'parallel', 'unix']);

type Parameter = Readonly<{ name: string; isRequired: boolean; isExported: boolean; default: JsonNode | undefined }>;

/** The recipes of a justfile as workflows, from the JSON that `just --dump` prints. */
export function importJustfile(path: string, root: JsonNode): Imported {
  return new Justfile(path, root).convert();
}

class Justfile {
  readonly #path: string;
  readonly #root: JsonNode;
  readonly #settings: JsonNode | undefined;
  readonly #expressions: JustExpressions;
  readonly #leftOut: string[] = [];

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
      if (isSet && !HARMLESS.test(key)) this.#leftOut.push(`setting '${key.replaceAll('_', '-')}' is left out`);
    }
    this.#leftOut.push(...this.#expressions.leftOut);
    for (const { key } of members(member(this.#root, 'modules'))) this.#leftOut.push(`module '${key}' is left out`);
    const recipes = members(member(this.#root, 'recipes')).flatMap(({ key, value }): ImportedWorkflow[] => {
      const workflow = attempt(() => this.#workflow(key, value));
      if (!(workflow instanceof LeftOut)) return [workflow];
      this.#leftOut.push(`recipe '${key}' is left out: ${workflow.message}`);
      return [];
    });
    const aliases = members(member(this.#root, 'aliases')).map(({ key, value }): ImportedWorkflow => {
      const workflow = textOf(member(value, 'target')) ?? '';
      return { name: key, description: `Alias of ${workflow}`, steps: [{ workflow }] };
    });
    const env = new Map([...this.#expressions.values].map(([name, value]) => [shellName(name), value]));
    return { noun: 'recipe', env, workflows: [...recipes, ...aliases], leftOut: this.#leftOut };
  }

  #workflow(name: string, recipe: JsonNode): ImportedWorkflow {
    const dir = this.#directory(name, items(member(recipe, 'attributes')));
    const parameters = items(member(recipe, 'parameters')).map((each) => this.#parameter(each));
    const env = new Map<string, string>();
    for (const { name: parameter, default: value } of parameters) {
      if (value !== undefined) env.set(shellName(parameter), this.#expressions.constant(value));
    }
    const expansions = new Map(parameters.map((each) => [each.name, expansionOf(each)]));
    const body = recipeSteps(member(recipe, 'body'), isTrue(member(recipe, 'shebang')), (expression) =>
      this.#expressions.parts(expression, expansions),
    );
    this.#checkShell(body);
    const calls = items(member(recipe, 'dependencies')).map((each) => this.#call(each));
    const prior = member(recipe, 'priors');
    const before = prior?.kind === 'number' ? prior.value : calls.length;
    return {
      name,
      description: textOf(member(recipe, 'doc')),
      private: isTrue(member(recipe, 'private')),
      env,
      dir,
      steps: [...requirements(parameters), ...calls.slice(0, before), ...body, ...calls.slice(before)],
    };
  }

  /** The working directory of a recipe. Its attributes may leave it out. */
  #directory(name: string, attributes: readonly JsonNode[]): string | undefined {
    const names = attributes.map((each) => textOf(each) ?? members(each)[0]?.key ?? '');
    for (const each of names.filter((known) => !HANDLED.has(known))) {
      if (!DISPENSABLE.has(each)) throw new LeftOut(`its attribute '${each}' has no counterpart`);
      this.#leftOut.push(`attribute '${each}' of recipe '${name}' is left out`);
    }
    if (names.includes('no-cd') || isTrue(member(this.#settings, 'no_cd'))) return undefined;
    const own = attributes.map((each) => textOf(member(each, 'working-directory'))).find((dir) => dir !== undefined);
    const dir = own ?? textOf(member(this.#settings, 'working_directory')) ?? '.';
    return sourceDirectory(dir.startsWith('/') ? dir : join(dirname(this.#path), dir));
  }

  #parameter(node: JsonNode): Parameter {
    const kind = textOf(member(node, 'kind'));
    const name = textOf(member(node, 'name')) ?? '';
    const given = member(node, 'default');
    const fallback = given === undefined || given.kind === 'null' ? undefined : given;
    if (['long', 'short'].some((option) => textOf(member(node, option)) !== undefined)) {
      throw new LeftOut(`its parameter '${name}' is an option`);
    }
    const empty: JsonNode = { kind: 'string', value: '', start: 0, end: 0 };
    const value = fallback ?? (kind === 'star' ? empty : undefined);
    const isExported = isTrue(member(node, 'export')) || isTrue(member(this.#settings, 'export'));
    return { name, isRequired: value === undefined, isExported, default: value };
  }

  /** The call of a dependency, with the values of its parameters. */
  #call(node: JsonNode): ImportedStep {
    const workflow = textOf(member(node, 'recipe')) ?? '';
    const target = member(member(this.#root, 'recipes'), workflow);
    const values = items(member(node, 'arguments')).map((each) => this.#expressions.constant(each));
    const parameters = items(member(target, 'parameters')).map((each) => this.#parameter(each));
    const named = parameters.slice(0, values.length).map(({ name }, index, { length }) => {
      const value = index === length - 1 ? values.slice(index).join(' ') : values[index];
      return [shellName(name), value ?? ''] as const;
    });
    return { workflow, ...(named.length === 0 ? {} : { with: new Map(named) }), once: true };
  }

  #checkShell(body: readonly ImportedStep[]): void {
    const shell = textOf(member(member(this.#settings, 'shell'), 'command'));
    if (body.length > 0 && shell !== undefined && !/(?:^|\/)(?:ba)?sh$/.test(shell)) {
      throw new LeftOut(`its shell is ${shell}`);
    }
    const isPositional = isTrue(member(this.#settings, 'positional_arguments'));
    if (isPositional && body.some((step) => 'run' in step && /\$[\d@*#]/.test(step.run))) {
      throw new LeftOut('it uses positional arguments');
    }
  }
}

/** A required parameter ends the command if it has no value. */
function expansionOf({ name, isRequired }: Parameter): TemplatePart {
  return { expansion: `\${${shellName(name)}${isRequired ? ':?' : ''}}` };
}

/** A first step that fails if a parameter is missing that commands use as a variable. */
function requirements(parameters: readonly Parameter[]): ImportedStep[] {
  const required = parameters.filter(({ isRequired, isExported }) => isRequired && isExported);
  if (required.length === 0) return [];
  return [{ name: 'parameters', run: `: ${required.map(({ name }) => `"\${${shellName(name)}:?}"`).join(' ')}` }];
}
