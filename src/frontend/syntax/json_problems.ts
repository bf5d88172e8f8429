import { getLocation, printParseErrorCode, visit } from 'jsonc-parser';
import { failure, type Result } from '../../base/result.ts';
import { decode, type Decoded } from './decode.ts';
import { DEPTH_LIMIT, Member, scalar, type JsonNode } from './json_tree.ts';
import { parseJson } from './json_parser.ts';
import { LineIndex } from './line_index.ts';
import type { SourceRange } from './source_range.ts';

export type SyntaxResult = Result<JsonNode, SyntaxProblem>;

/** An error name of jsonc-parser, or `TooDeep`, and its place. */
export type SyntaxProblem = Readonly<{ problem: string; range: SourceRange }>;

/** Thrown to end the visit early, because jsonc-parser offers no other way. */
const STOP = new Error('the first problem was found');

/** An open container. It becomes the node itself, since a file may hold a million nodes. */
type OpenContainer =
  | { readonly kind: 'object'; readonly start: number; end: number; readonly members: Member[] }
  | { readonly kind: 'array'; readonly start: number; end: number; readonly items: JsonNode[] };

/** Parses a JSON file to a syntax tree, or to its first problem. Offsets start at `base`. */
export function parseJsonFile(bytes: Buffer, base = 0): Readonly<{ lines: LineIndex; syntax: SyntaxResult }> {
  const decoded = decode(bytes);
  const tree = decoded.problem === undefined ? parseJson(decoded.text, base) : undefined;
  return {
    lines: new LineIndex(decoded.text, base),
    syntax: tree === undefined ? findProblem(decoded, base) : { ok: true, value: tree },
  };
}

/** The first problem of a file: later problems may be its consequences. Offsets start at `base`. */
export function findProblem({ text, problem: encoding, offset }: Decoded, base: number): SyntaxResult {
  const range = { start: base + offset, end: base + offset + 1 };
  if (encoding !== undefined) return failure({ problem: encoding, range });
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
 * Parses text that need not be JSON: the tree of what can be recognised, the same as the one of `parseJson` for valid
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
