import { generatedName } from '../../base/generated_name.ts';
import { memberNumber, type StepNumber } from '../diagnostics/diagnostic.ts';
import { FILE_FORMAT, itemFormat, valueFormat } from '../schema/file_format.ts';
import type { FieldsFormat, Format, KeyMeaning, TextMeaning } from '../schema/file_format.ts';
import { type JsonNode, type Member, type ObjectNode, memberOf, stringOf } from '../syntax/json_tree.ts';
import type { LineIndex } from '../syntax/line_index.ts';
import { FileText } from './file_text.ts';

/** A step around a place: its number, its name (written or generated), and its object; undefined for a plain command. */
export type StepScope = Readonly<{ number: StepNumber; name: string; isNamed: boolean; node: ObjectNode | undefined }>;

/**
 * What is around a place: its workflow, its steps (groups first), and the names of the fields that lead to it from the
 * innermost step, workflow or file.
 */
export type SiteScope = Readonly<{
  workflow: Member | undefined;
  steps: readonly StepScope[];
  fields: readonly string[];
}>;

/** A key or a text with a meaning, or a key that is a field. */
export type Site = Readonly<{ scope: SiteScope }> &
  Readonly<
    | { kind: 'key'; meaning: KeyMeaning; member: Member }
    | { kind: 'text'; meaning: TextMeaning; text: FileText }
    | { kind: 'field'; fields: FieldsFormat; member: Member }
  >;

/** The scope outside of workflows. */
export const FILE_SCOPE: SiteScope = { workflow: undefined, steps: [], fields: [] };

/** All keys and texts of a file with a meaning, in file order. Malformed parts are left out. */
export function* sitesIn(root: JsonNode, lines: LineIndex): Generator<Site> {
  yield* sitesOf(root, FILE_FORMAT, FILE_SCOPE, lines);
}

function* sitesOf(node: JsonNode, format: Format, scope: SiteScope, lines: LineIndex): Generator<Site> {
  if (node.kind === 'string' && format.text !== undefined) {
    yield { kind: 'text', meaning: format.text, text: new FileText([node], lines), scope };
  } else if (node.kind === 'array') {
    if (format.items === 'lines') {
      const texts = node.items.flatMap((item) => (item.kind === 'string' ? [item] : []));
      if (texts.length > 0) yield { kind: 'text', meaning: 'command', text: new FileText(texts, lines), scope };
      return;
    }
    for (const [index, item] of node.items.entries()) {
      yield* sitesOf(item, itemFormat(format), itemScope(scope, format, item, index), lines);
    }
  } else if (node.kind === 'object') {
    for (const member of node.members) {
      const { fields, entries } = format;
      if (entries !== undefined) {
        if (!member.key.startsWith('x-') || entries.keys === 'workflow' || entries.keys === 'include')
          yield { kind: 'key', meaning: entries.keys, member, scope };
      } else if (fields !== undefined && Object.hasOwn(fields.values, member.key)) {
        yield { kind: 'field', fields, member, scope };
      } else continue;
      yield* sitesOf(member.value, valueFormat(format, member.key), memberScope(scope, format, member), lines);
    }
  }
}

/** The scope of the value of a key. */
export function memberScope(scope: SiteScope, { entries, fields }: Format, member: Member): SiteScope {
  if (entries?.keys === 'workflow') return { workflow: member, steps: [], fields: [] };
  return fields === undefined ? scope : { ...scope, fields: [...scope.fields, member.key] };
}

/** The scope of an item of an array. */
export function itemScope(scope: SiteScope, { items }: Format, item: JsonNode, index: number): SiteScope {
  if (items !== 'steps') return scope;
  const number = memberNumber(index + 1, scope.steps.at(-1)?.number);
  const node = item.kind === 'object' ? item : undefined;
  const name = stringOf(memberOf(node, 'name'));
  const step = { number, name: name ?? generatedName(number), isNamed: name !== undefined, node };
  return { workflow: scope.workflow, steps: [...scope.steps, step], fields: [] };
}

/** Whether a value may refer to outputs. */
export function allowsOutputs({ fields }: SiteScope): boolean {
  return ['with', 'confirm'].includes(fields.at(-1) ?? '');
}
