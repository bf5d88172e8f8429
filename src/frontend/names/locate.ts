import { FILE_FORMAT, itemFormat, valueFormat, type Format } from '../schema/file_format.ts';
import { members, type JsonNode, type Member, type TextNode } from '../syntax/json_tree.ts';
import { pathAt } from '../syntax/json_problems.ts';
import type { NamedFile } from './find_names.ts';
import { FILE_SCOPE, itemScope, memberScope, type SiteScope } from './sites.ts';

/**
 * An offset in a file. `isKey`: it is at a key of `container`, whose format is `format`; otherwise at a value of
 * `container`, whose format is `parent`, and `format` is that of the value. `string` is the key or the string that
 * contains the offset. `key` is the last key that leads to it.
 */
export type Location = Readonly<{
  isKey: boolean;
  format: Format;
  parent: Format;
  container: JsonNode | undefined;
  string: TextNode | Member | undefined;
  key: string | undefined;
  scope: SiteScope;
}>;

/** The location of an offset into the text of a file, which need not be valid. */
export function locate({ tree, lines }: Pick<NamedFile, 'tree' | 'lines'>, offset: number): Location {
  const { path, isKey } = pathAt(lines.text, offset);
  const at = lines.base + offset;
  let node: JsonNode | undefined = tree;
  let container: JsonNode | undefined;
  let format = FILE_FORMAT;
  let parent = FILE_FORMAT;
  let scope = FILE_SCOPE;
  for (const segment of isKey ? path.slice(0, -1) : path) {
    container = node;
    parent = format;
    if (typeof segment === 'number') {
      const item: JsonNode | undefined = node?.kind === 'array' ? node.items[segment] : undefined;
      scope = itemScope(scope, format, item ?? NOTHING, segment);
      format = itemFormat(format);
      node = item;
    } else {
      const member: Member | undefined = memberAt(node, segment, at);
      if (member !== undefined) scope = memberScope(scope, format, member);
      format = valueFormat(format, segment);
      node = member?.value;
    }
  }
  const last = path.at(-1);
  const key = typeof last === 'string' ? last : path.findLast((segment) => typeof segment === 'string');
  if (isKey) {
    const string = members(node).find((member) => contains(member, at));
    return { isKey, format, parent, container: node, string, key, scope };
  }
  const string = node?.kind === 'string' && contains(node, at) ? node : undefined;
  return { isKey, format, parent, container, string, key, scope };
}

const NOTHING: JsonNode = { kind: 'null', start: 0, end: 0 };

function contains({ start, end }: Readonly<{ start: number; end: number }>, offset: number): boolean {
  return start <= offset && offset <= end;
}

/** The member with a key; of several, the one that contains an offset. */
function memberAt(node: JsonNode | undefined, key: string, offset: number): Member | undefined {
  const found = members(node).filter((member) => member.key === key);
  return found.find(({ start, value }) => start <= offset && offset <= Math.max(value.end, start)) ?? found.at(-1);
}
