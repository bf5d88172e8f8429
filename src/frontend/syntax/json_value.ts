import type { JsonNode, Member } from './json_tree.ts';

/** The members of an object, none for any other node. */
export function members(node: JsonNode | undefined): readonly Member[] {
  return node?.kind === 'object' ? node.members : [];
}

/** The value of a member of an object. */
export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return members(node).find((each) => each.key === key)?.value;
}

/** The items of an array, none for any other node. */
export function items(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.kind === 'array' ? node.items : [];
}

/** The text of a string. */
export function stringOf(node: JsonNode | undefined): string | undefined {
  return node?.kind === 'string' ? node.value : undefined;
}

/** Whether a node is `true`. */
export function isTrue(node: JsonNode | undefined): boolean {
  return node?.kind === 'boolean' && node.value;
}
