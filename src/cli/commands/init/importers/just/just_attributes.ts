import { basename, dirname } from 'node:path';
import { type JsonNode, items, memberOf, members, stringOf } from '../../../../../frontend/syntax/json_tree.ts';
import { shellWord } from '../../../../../base/shell_word.ts';
import { sourceDirectory } from '../../import_kind.ts';
import { LeftOut, type ImportedStep, type ImportedWorkflow } from '../../imported.ts';
import { otherShell, type OtherShell } from '../../other_shell.ts';

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
  const command = stringOf(memberOf(given, 'command'));
  const args =
    command === undefined ? ['-eu'] : items(memberOf(given, 'arguments')).map((each) => stringOf(each) ?? '');
  const shell = otherShell(command ?? 'sh', args);
  if (shell === undefined) throw new LeftOut('it is a script in another language');
  return shell;
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
