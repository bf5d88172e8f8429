import { DEPTH_LIMIT, Member, scalar, type ArrayNode, type JsonNode, type ObjectNode } from './json_tree.ts';

/** An array with more items is read twice. */
const KEPT_ITEMS = 1000;

/** A string without escapes. */
const STRING = /"[ !#-[\]-\uffff]*"/y;
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const COMMENT = /\/\/[^\n\r]*|\/\*[^]*?\*\//y;

const NO_JSON = new Error('the text is not valid');

/** The tree of JSON with comments and trailing commas. Undefined for text with a problem, which `findProblem` finds. */
export function parseJson(text: string, base: number): JsonNode | undefined {
  try {
    return new JsonParser(text, base, 0, true).document();
  } catch (error) {
    if (error !== NO_JSON) throw error;
    return undefined;
  }
}

/** The items of an array, one at a time: those of a long one are not kept. */
export function eachItem(array: ArrayNode): Iterable<JsonNode> {
  return array instanceof LongArray ? array.each() : array.items;
}

/** An array of which the items are parsed when they are read: together they take more memory than all that is made of them. */
class LongArray {
  readonly kind = 'array';
  readonly start: number;
  readonly end: number;
  readonly #text: string;
  readonly #base: number;

  constructor(text: string, base: number, start: number, end: number) {
    this.#text = text;
    this.#base = base;
    this.start = start;
    this.end = end;
  }

  get items(): readonly JsonNode[] {
    return [...this.each()];
  }

  each(): Iterable<JsonNode> {
    return new JsonParser(this.#text, this.#base, this.start - this.#base, false).items();
  }
}

/** Throws at the first problem. */
class JsonParser {
  readonly #text: string;
  readonly #base: number;
  readonly #hasLongArrays: boolean;
  #at: number;
  #depth = 0;

  /** Items of long arrays have no long arrays, which would be read once more at each level. */
  constructor(text: string, base: number, at: number, hasLongArrays: boolean) {
    this.#text = text;
    this.#base = base;
    this.#at = at;
    this.#hasLongArrays = hasLongArrays;
  }

  document(): JsonNode {
    const value = this.#value();
    if (this.#next() !== '') throw NO_JSON;
    return value;
  }

  /** The items of the array that begins here. */
  *items(): Generator<JsonNode> {
    this.#at += 1;
    while (this.#next() !== ']') {
      yield this.#value();
      this.#skipComma(']');
    }
    this.#at += 1;
  }

  /** Moves past blanks and comments. Returns the next character, '' at the end. */
  #next(): string {
    for (;;) {
      const character = this.#text.charAt(this.#at);
      if (character === ' ' || character === '\n' || character === '\r' || character === '\t') this.#at += 1;
      else if (character !== '/') return character;
      else this.#match(COMMENT);
    }
  }

  /** Moves past the text that a sticky pattern matches here, and returns it. */
  #match(pattern: RegExp): string {
    const start = this.#at;
    pattern.lastIndex = start;
    if (!pattern.test(this.#text)) throw NO_JSON;
    this.#at = pattern.lastIndex;
    return this.#text.slice(start, this.#at);
  }

  #skipComma(close: string): void {
    const next = this.#next();
    if (next === ',') this.#at += 1;
    else if (next !== close) throw NO_JSON;
  }

  #value(): JsonNode {
    const next = this.#next();
    const start = this.#at;
    if (next === '"') {
      const value = this.#string();
      return { kind: 'string', value, start: this.#base + start, end: this.#base + this.#at };
    }
    if (next !== '{' && next !== '[') {
      const value: unknown = JSON.parse(this.#match(LITERAL));
      return scalar(value, this.#base + start, this.#base + this.#at);
    }
    this.#depth += 1;
    if (this.#depth > DEPTH_LIMIT) throw NO_JSON;
    const container = next === '{' ? this.#object() : this.#array();
    this.#depth -= 1;
    return container;
  }

  #object(): ObjectNode {
    const start = this.#base + this.#at;
    const members: Member[] = [];
    this.#at += 1;
    while (this.#next() !== '}') {
      const keyStart = this.#base + this.#at;
      const member = new Member(this.#string(), keyStart, this.#base + this.#at);
      if (this.#next() !== ':') throw NO_JSON;
      this.#at += 1;
      member.value = this.#value();
      members.push(member);
      this.#skipComma('}');
    }
    this.#at += 1;
    return { kind: 'object', start, end: this.#base + this.#at, members };
  }

  #array(): ArrayNode {
    const start = this.#base + this.#at;
    const items: JsonNode[] = [];
    let isLong = false;
    for (const item of this.items()) {
      if (items.push(item) <= KEPT_ITEMS || !this.#hasLongArrays) continue;
      isLong = true;
      items.length = 0;
    }
    const end = this.#base + this.#at;
    return isLong ? new LongArray(this.#text, this.#base, start, end) : { kind: 'array', start, end, items };
  }

  #string(): string {
    const start = this.#at;
    STRING.lastIndex = start;
    if (STRING.test(this.#text)) {
      this.#at = STRING.lastIndex;
      return this.#text.slice(start + 1, this.#at - 1);
    }
    return this.#escapedString();
  }

  #escapedString(): string {
    const start = this.#at;
    let end = start;
    do end += this.#text.charAt(end) === '\\' ? 2 : 1;
    while (end < this.#text.length && this.#text.charAt(end) !== '"');
    this.#at = end + 1;
    try {
      const value: unknown = JSON.parse(this.#text.slice(start, this.#at));
      if (typeof value === 'string') return value;
    } catch {
      // The problem is found by its place.
    }
    throw NO_JSON;
  }
}
