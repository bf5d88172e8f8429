import { rangeOf, type SourceRange } from './source_range.ts';

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

/** A syntax tree of JSON, with the range of every value and key. */
export type JsonNode = ObjectNode | ArrayNode | Scalar;

/** An object, with its members in file order, including duplicate keys. */
export type ObjectNode = SourceRange & Readonly<{ kind: 'object'; members: readonly Member[] }>;
export type ArrayNode = SourceRange & Readonly<{ kind: 'array'; items: readonly JsonNode[] }>;
type Scalar = SourceRange &
  Readonly<
    | { kind: 'string'; value: string }
    | { kind: 'boolean'; value: boolean }
    | { kind: 'number'; value: number }
    | { kind: 'null' }
  >;

/** A string. */
export type TextNode = Extract<JsonNode, { kind: 'string' }>;

const NO_VALUE: JsonNode = { kind: 'null', start: 0, end: 0 };

/** A member of an object. `start` and `end` are the range of its key. */
export class Member {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  /** Set once the parser has reached the value. */
  value: JsonNode = NO_VALUE;

  constructor(key: string, start: number, end: number) {
    this.key = key;
    this.start = start;
    this.end = end;
  }

  /** A getter, because a file may hold a million members. */
  get range(): SourceRange {
    return rangeOf(this);
  }
}

/** The nesting limit. Deeper nesting is valid only in an `x-` field, and would overflow the parser's stack. */
export const DEPTH_LIMIT = 500;

/** A value that is not a container. */
export function scalar(value: unknown, start: number, end: number): Scalar {
  if (typeof value === 'string') return { kind: 'string', value, start, end };
  if (typeof value === 'boolean') return { kind: 'boolean', value, start, end };
  return typeof value === 'number' ? { kind: 'number', value, start, end } : { kind: 'null', start, end };
}
