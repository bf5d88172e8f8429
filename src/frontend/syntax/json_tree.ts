import { getLocation, printParseErrorCode, visit } from 'jsonc-parser';
import { failure, type Result } from '../../base/result.ts';
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

export type SyntaxResult = Result<JsonNode, SyntaxProblem>;

/** An error name of jsonc-parser, or `TooDeep`, and its place. */
type SyntaxProblem = Readonly<{ problem: string; range: SourceRange }>;

/** The nesting limit. Deeper nesting is valid only in an `x-` field, and would overflow the parser's stack. */
export const DEPTH_LIMIT = 500;

/** Thrown to end the visit early, because jsonc-parser offers no other way. */
const STOP = new Error('the first problem was found');

/** An open container. It becomes the node itself, since a file may hold a million nodes. */
type OpenContainer =
  | { readonly kind: 'object'; readonly start: number; end: number; readonly members: Member[] }
  | { readonly kind: 'array'; readonly start: number; end: number; readonly items: JsonNode[] };

/**
 * Parses JSON with comments and trailing commas. Returns the tree, or the first problem: later problems may be its
 * consequences. Offsets start at `base`.
 */
export function parseSyntax(text: string, base = 0): SyntaxResult {
  const problems: SyntaxProblem[] = [];
  const root = buildTree(text, base, (problem) => {
    problems.push(problem);
    return 'stop';
  });
  if (problems.length > 0) return failure(...problems);
  return root === undefined
    ? failure({ problem: 'ValueExpected', range: { start: base, end: base } })
    : { ok: true, value: root };
}

/**
 * Parses text that need not be JSON: the tree of what can be recognised, the same as the one of `parseSyntax` for valid
 * text. Undefined if there is no value.
 */
export function parseTolerantly(text: string, base = 0): JsonNode | undefined {
  return buildTree(text, base, ({ problem }) => (problem === 'TooDeep' ? 'stop' : 'continue'));
}

/** The keys and indexes that lead to an offset, also in text with problems. `isKey`: the last one is a key there. */
export function pathAt(text: string, offset: number): Readonly<{ path: readonly (string | number)[]; isKey: boolean }> {
  const { path, isAtPropertyKey } = getLocation(text, offset);
  return { path, isKey: isAtPropertyKey };
}

/** Builds the tree of a text. `onProblem` decides whether the rest is read. */
function buildTree(
  text: string,
  base: number,
  onProblem: (problem: SyntaxProblem) => 'stop' | 'continue',
): JsonNode | undefined {
  const open: OpenContainer[] = [];
  const roots: JsonNode[] = [];
  const report = (problem: string, start: number, length: number): void => {
    if (onProblem({ problem, range: { start: base + start, end: base + start + length } }) === 'stop') throw STOP;
  };

  const attach = (value: JsonNode): void => {
    const parent = open.at(-1);
    if (parent === undefined) roots.push(value);
    else if (parent.kind === 'array') parent.items.push(value);
    else {
      const member = parent.members.at(-1);
      if (member !== undefined) member.value = value;
    }
  };
  const addMember = (member: Member): void => {
    const parent = open.at(-1);
    if (parent?.kind === 'object') parent.members.push(member);
  };
  const enter = (container: OpenContainer): void => {
    if (open.push(container) > DEPTH_LIMIT) report('TooDeep', container.start - base, 1);
  };
  const close = (end: number): void => {
    const container = open.pop();
    if (container === undefined) return;
    container.end = base + end;
    attach(container);
  };
  /** Closes a container. In malformed text, others inside of it may still be open. */
  const leave = (kind: OpenContainer['kind'], offset: number, length: number): void => {
    while (open.length > 0 && open.at(-1)?.kind !== kind) close(offset);
    close(offset + length);
  };
  try {
    visit(
      text,
      {
        onObjectBegin: (start) => enter({ kind: 'object', start: base + start, end: base + start, members: [] }),
        onArrayBegin: (start) => enter({ kind: 'array', start: base + start, end: base + start, items: [] }),
        onObjectEnd: (start, length) => leave('object', start, length),
        onArrayEnd: (start, length) => leave('array', start, length),
        onObjectProperty: (key, start, length) => addMember(new Member(key, base + start, base + start + length)),
        onLiteralValue: (value: unknown, start, length) => {
          attach(scalar(flatText(value, text, start, length), base + start, base + start + length));
        },
        onError: (code, start, length) => report(printParseErrorCode(code), start, length),
      },
      { allowTrailingComma: true },
    );
  } catch (error) {
    if (error !== STOP) throw error;
  }
  // Only text with problems leaves containers open.
  while (open.length > 0) close(text.length);
  return roots[0];
}

/**
 * A literal value. jsonc-parser concatenates the parts of a string between its escapes, which takes memory and time
 * later; malformed strings are left so.
 */
function flatText(value: unknown, text: string, start: number, length: number): unknown {
  if (typeof value !== 'string' || value.length === length - 2) return value;
  try {
    return JSON.parse(text.slice(start, start + length));
  } catch {
    return value;
  }
}

function scalar(value: unknown, start: number, end: number): Scalar {
  if (typeof value === 'string') return { kind: 'string', value, start, end };
  if (typeof value === 'boolean') return { kind: 'boolean', value, start, end };
  return typeof value === 'number' ? { kind: 'number', value, start, end } : { kind: 'null', start, end };
}
