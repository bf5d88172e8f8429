import type { JsonNode } from '../../../../frontend/syntax/json_tree.ts';
import { LeftOut, type ImportedStep } from '../../imported.ts';
import { otherShell, type OtherShell } from '../../other_shell.ts';
import { items, member, stringOf } from '../json_value.ts';

/** The confirmation step of a recipe with the attribute `confirm`. */
export function questions(name: string, attributes: readonly JsonNode[]): ImportedStep[] {
  const asks = attributes.filter((each) => stringOf(each) === 'confirm' || member(each, 'confirm') !== undefined);
  return asks.map((each) => {
    const text = member(each, 'confirm');
    return { name: 'confirm', run: ':', confirm: stringOf(text) ?? `Run recipe '${name}'?` };
  });
}

/** The shell of `[script]`, which is `sh -eu` unless the attribute or a setting names another one. */
export function scriptShell(attribute: JsonNode | undefined, root: JsonNode): OtherShell {
  const setting = member(member(root, 'settings'), 'script_interpreter');
  const given = member(attribute, 'command') === undefined ? setting : attribute;
  const command = stringOf(member(given, 'command'));
  const args = command === undefined ? ['-eu'] : items(member(given, 'arguments')).map((each) => stringOf(each) ?? '');
  const shell = otherShell(command ?? 'sh', args);
  if (shell === undefined) throw new LeftOut('it is a script in another language');
  return shell;
}
