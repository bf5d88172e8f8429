import { dirname, join, basename } from 'node:path';
import { CALLER_REFERENCE } from '../../../../../base/caller_reference.ts';
import { isTrue, items, memberOf, members, stringOf, type JsonNode } from '../../../../../frontend/syntax/json_tree.ts';
import { fail, LeftOut, type Unconverted, type ImportedStep, type ImportedWorkflow } from '../../imported.ts';
import { otherShell, type OtherShell } from '../../other_shell.ts';
import { shellWord } from '../../../../../base/shell_word.ts';
import { sourceDirectory } from '../../import_kind.ts';

/** Settings that need no conversion. */
const IGNORED_SETTINGS =
  /^(?:allow_duplicate_\w+|default_\w+|dotenv_(?:load|filename|path)|eager|export|ignore_comments|indentation|lazy|no_cd|no_exit_message|positional_arguments|quiet|script_interpreter|shell|tempdir|unstable|windows_\w+|working_directory)$/;

/** Attributes that are converted, or have no effect on a workflow. */
const KNOWN_ATTRIBUTES = new Set(
  'arg cache confirm default doc env no-cd no-exit-message no-quiet parallel private script working-directory'.split(
    ' ',
  ),
);

/** Attributes that are dropped with a warning, because recipes work without them. */
const DROPPED_ATTRIBUTES = new Set(['exit-message', 'extension', 'group', 'metadata', 'unix']);

/** The settings of a justfile. `dropped` holds the recipes with attributes left out. */
export type JustSettings = Readonly<{
  shell: OtherShell | undefined;
  shellName: string;
  isPositional: boolean;
  hasNoCd: boolean;
  directory: string;
  variadicCount: number;
  unusable: string | undefined;
  dropped: ReadonlyMap<string, ReadonlySet<string>>;
  /** Notes that an attribute of a recipe is left out. */
  drop: (attribute: string, recipe: string) => void;
}>;

/** Reads the settings. Adds a line for each part that is left out. */
export function checkSettings(root: JsonNode, leftOut: (string | Unconverted)[]): JustSettings {
  const settings = memberOf(root, 'settings');
  const recipes = members(memberOf(root, 'recipes'));
  const variadicCount = recipes.filter(({ value }) =>
    items(memberOf(value, 'parameters')).some((each) => /^(?:star|plus)$/.test(stringOf(memberOf(each, 'kind')) ?? '')),
  ).length;
  const dropped = new Map<string, Set<string>>();
  let unusable: string | undefined;
  for (const { key, value } of members(settings)) {
    const isSet = !(
      value.kind === 'null' ||
      (value.kind === 'boolean' && !value.value) ||
      (value.kind === 'array' && value.items.length === 0)
    );
    if (!isSet || IGNORED_SETTINGS.test(key) || (key === 'lists' && variadicCount === 0)) continue;
    leftOut.push(`setting '${key.replaceAll('_', '-')}' is left out`);
    if (key === 'guards' || key === 'lists' || key.startsWith('dotenv_command') || key.startsWith('dotenv_override')) {
      unusable = `it depends on the setting '${key.replaceAll('_', '-')}'`;
    }
  }
  for (const { key, value } of members(memberOf(root, 'modules'))) {
    leftOut.push(`module '${key}' is left out`);
    for (const recipe of members(memberOf(value, 'recipes'))) {
      leftOut.push({ name: `${key}::${recipe.key}`, reason: `it is in the module '${key}'` });
    }
  }
  const shell = memberOf(settings, 'shell');
  return {
    shell: shellOf(shell, ['-cu']),
    shellName: stringOf(memberOf(shell, 'command')) ?? 'sh',
    isPositional: isTrue(memberOf(settings, 'positional_arguments')),
    hasNoCd: isTrue(memberOf(settings, 'no_cd')),
    directory: stringOf(memberOf(settings, 'working_directory')) ?? '.',
    variadicCount,
    unusable,
    dropped,
    drop: (attribute, recipe) => dropped.set(attribute, (dropped.get(attribute) ?? new Set()).add(recipe)),
  };
}

/** The shell that a setting or an attribute names, by default `sh` with some options. */
function shellOf(given: JsonNode | undefined, options: readonly string[]): OtherShell | undefined {
  const command = stringOf(memberOf(given, 'command'));
  if (command === undefined) return otherShell('sh', options);
  const own = items(memberOf(given, 'arguments')).map((each) => stringOf(each) ?? '');
  return otherShell(command, own);
}

/** The variables that attributes of a recipe set. */
export function attributeVariables(attributes: readonly JsonNode[]): Map<string, string> {
  const pairs = attributes.map((each) => items(memberOf(each, 'env')).map(stringOf));
  return new Map(pairs.flatMap(([name, value]) => (name === undefined || value === undefined ? [] : [[name, value]])));
}

/** The working directory of a recipe, which its attributes may turn off. Notes the attributes that are left out. */
export function directoryOf(
  name: string,
  attributes: readonly JsonNode[],
  path: string,
  { hasNoCd, directory, drop }: JustSettings,
): string {
  const names = attributes.map((each) => stringOf(each) ?? members(each)[0]?.key ?? '');
  for (const each of names.filter((known) => !KNOWN_ATTRIBUTES.has(known))) {
    if (!DROPPED_ATTRIBUTES.has(each)) throw new LeftOut(`its attribute '${each}' has no counterpart`);
    drop(each, name);
  }
  if (names.includes('no-cd') || hasNoCd) return CALLER_REFERENCE;
  const own = attributes.map((each) => stringOf(memberOf(each, 'working-directory'))).find((dir) => dir !== undefined);
  const dir = own ?? directory;
  return dir.startsWith('/') ? dir : join(dirname(path), dir);
}

/** The dotenv file named in the settings. */
export function dotenvFiles(root: JsonNode, path: string): string[] {
  const settings = memberOf(root, 'settings');
  const setting = (name: string): string | undefined => stringOf(memberOf(settings, `dotenv_${name}`));
  const file = setting('path') ?? setting('filename') ?? (isTrue(memberOf(settings, 'dotenv_load')) ? '.env' : '');
  if (file === '') return [];
  return [file.startsWith('/') ? file : join(dirname(path), file)];
}

/** The confirmation step of a recipe with the attribute `confirm`. */
export function questions(name: string, attributes: readonly JsonNode[]): ImportedStep[] {
  const asks = attributes.filter((each) => stringOf(each) === 'confirm' || memberOf(each, 'confirm') !== undefined);
  return asks.map((each) => {
    const text = memberOf(each, 'confirm');
    return { name: 'confirm', run: ':', confirm: stringOf(text) ?? `Run recipe '${name}'?` };
  });
}

/** The shell of `[script]`, which is `sh -eu` unless the attribute or a setting names another one. */
export function scriptShell(attribute: JsonNode | undefined, root: JsonNode): OtherShell {
  const setting = memberOf(memberOf(root, 'settings'), 'script_interpreter');
  const given = memberOf(attribute, 'command') === undefined ? setting : attribute;
  return shellOf(given, ['-eu']) ?? fail('it is a script in another language');
}

export function aliasesOf(root: JsonNode, name: string): string[] {
  const aliases = members(memberOf(root, 'aliases'));
  return aliases.filter(({ value }) => stringOf(memberOf(value, 'target')) === name).map(({ key }) => key);
}

/** A workflow that calls just. */
export function callOfJust(path: string, root: JsonNode, name: string): ImportedWorkflow {
  const flag = /^\.?justfile$/i.test(basename(path)) ? '' : `-f ${shellWord(basename(path))} `;
  return {
    name,
    description: stringOf(memberOf(memberOf(memberOf(root, 'recipes'), name), 'doc')),
    aliases: aliasesOf(root, name),
    dir: sourceDirectory(dirname(path)),
    steps: [{ run: `just ${flag}${shellWord(name)} "$@"` }],
  };
}
