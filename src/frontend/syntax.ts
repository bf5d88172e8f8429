import { printParseErrorCode, visit } from 'jsonc-parser';
import type { Fault, Range } from './diagnostic.ts';

/** A JSON text as a tree in which every value and key has its place. */
export type Node = ObjectNode | ArrayNode | StringNode | BooleanNode | OtherNode;

export interface ObjectNode extends Range {
  readonly kind: 'object';
  /** In file order; a key that was given twice is here twice. */
  readonly members: readonly Member[];
}

export interface ArrayNode extends Range {
  readonly kind: 'array';
  readonly items: readonly Node[];
}

export interface StringNode extends Range {
  readonly kind: 'string';
  readonly value: string;
}

export interface BooleanNode extends Range {
  readonly kind: 'boolean';
  readonly value: boolean;
}

/** No field of a workflow file is a number or null, so their values are not kept. */
export interface OtherNode extends Range {
  readonly kind: 'number' | 'null';
}

export interface Member {
  readonly key: string;
  readonly range: Range;
  readonly value: Node;
}

export type Syntax =
  | { readonly ok: true; readonly root: Node }
  | { readonly ok: false; readonly fault: Fault; readonly range: Range };

/** Where a node stands, and nothing else of it. */
export function rangeOf({ start, end }: Range): Range {
  return { start, end };
}

/** The bracket that opens an object, to mark where something is missing. */
export function opening({ start }: ObjectNode): Range {
  return { start, end: start + 1 };
}

/** Deeper nesting than this could only stand in an `x-` field, and would overflow the parser's stack. */
const DEPTH_LIMIT = 500;

/** Ends the visit early: jsonc-parser has no other way out of a visitor. */
class Stop extends Error {
  readonly fault: Fault;
  readonly range: Range;

  constructor(fault: Fault, range: Range) {
    super(fault.code);
    this.fault = fault;
    this.range = range;
  }
}

/** A container still open: what it has so far. */
type Open =
  | { readonly kind: 'object'; readonly start: number; readonly members: Member[] }
  | { readonly kind: 'array'; readonly start: number; readonly items: Node[] };

/**
 * Parses JSON with comments and trailing commas.
 *
 * Gives the tree, or the first syntax error: what follows one is guesswork.
 */
export function parseSyntax(text: string): Syntax {
  const open: Open[] = [];
  const keys: { key: string; range: Range }[] = [];
  let root: Node | undefined;

  const place = (value: Node): void => {
    const parent = open.at(-1);
    if (parent === undefined) root = value;
    else if (parent.kind === 'array') parent.items.push(value);
    else {
      const key = keys.pop();
      if (key !== undefined) parent.members.push({ ...key, value });
    }
  };
  const enter = (container: Open): void => {
    if (open.length === DEPTH_LIMIT) {
      const range = { start: container.start, end: container.start + 1 };
      throw new Stop({ code: 'too deep', limit: DEPTH_LIMIT }, range);
    }
    open.push(container);
  };
  const leave = (offset: number, length: number): void => {
    const container = open.pop();
    if (container !== undefined) place({ ...container, end: offset + length });
  };

  try {
    visit(
      text,
      {
        onObjectBegin: (start) => enter({ kind: 'object', start, members: [] }),
        onArrayBegin: (start) => enter({ kind: 'array', start, items: [] }),
        onObjectEnd: leave,
        onArrayEnd: leave,
        onObjectProperty: (key, start, length) => {
          keys.push({ key, range: { start, end: start + length } });
        },
        onLiteralValue: (value: unknown, start, length) =>
          place(literal(value, start, start + length)),
        onError: (code, start, length) => {
          const problem = printParseErrorCode(code);
          throw new Stop({ code: 'syntax', problem }, { start, end: start + length });
        },
      },
      { allowTrailingComma: true },
    );
  } catch (error) {
    if (error instanceof Stop) return { ok: false, fault: error.fault, range: error.range };
    throw error;
  }
  if (root === undefined) throw new Error('a JSON text without errors has a value');
  return { ok: true, root };
}

function literal(value: unknown, start: number, end: number): Node {
  if (typeof value === 'string') return { kind: 'string', value, start, end };
  if (typeof value === 'boolean') return { kind: 'boolean', value, start, end };
  return { kind: value === null ? 'null' : 'number', start, end };
}
