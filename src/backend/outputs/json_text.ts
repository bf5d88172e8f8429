import { isUtf8 } from 'node:buffer';
import { createScanner, type JSONScanner } from 'jsonc-parser';

type Kind = 'object' | 'array' | 'string' | 'boolean' | 'null' | 'number';

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['{', 'object'],
  ['[', 'array'],
  ['"', 'string'],
  ['t', 'boolean'],
  ['f', 'boolean'],
  ['n', 'null'],
]);

/** A deviation from JSON and its offset. */
type Flaw = Readonly<{ offset: number; problem: string }>;

/** `SyntaxKind.Unknown` of jsonc-parser, an enum that cannot be imported: a word or minus sign that begins no value. */
const UNKNOWN: number = 16;

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['[', ']'],
]);
const BLANKS = new Set([' ', '\t', '\n', '\r'].map((blank) => blank.charCodeAt(0)));
const SPACE = ' '.charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);

/**
 * A JSON text (RFC 8259, without the extensions of the scanner) whose values are read as written: `JSON.parse` loses
 * digits of numbers, and Node.js 20 has no way to get them back. A value is identified by the offset of its first
 * character. There is no depth limit, because nothing recurses.
 */
export class JsonText {
  readonly #text: string;
  readonly #scanner: JSONScanner;
  /** The current token: its start, end and flaw. */
  #start = 0;
  #end = 0;
  #flaw: string | undefined;
  /** The outermost value. */
  readonly root: number;
  /**
   * The position and kind of the first deviation from JSON, without a quotation; undefined for valid JSON. Values are
   * defined only for valid JSON.
   */
  readonly problem: string | undefined;

  /** A byte order mark does not belong to the text. */
  constructor(bytes: Buffer) {
    const isText = isUtf8(bytes);
    this.#text = isText ? bytes.toString('utf8').replace(/^\uFEFF/, '') : '';
    this.#scanner = createScanner(this.#text);
    const first = this.#read(0);
    this.root = this.#start;
    this.problem = isText ? this.#problem(first) : 'it is not UTF-8';
  }

  kind(value: number): Kind {
    return KINDS.get(this.#text.charAt(value)) ?? 'number';
  }

  /**
   * The wanted members of an object by name. As in `JSON.parse`, the last of several members with the same name counts.
   */
  members(object: number, wanted: ReadonlySet<string>): Map<string, number> {
    const found = new Map<string, number>();
    this.#visit(object, (value, key) => {
      const name = this.string(key);
      if (wanted.has(name)) found.set(name, value);
    });
    return found;
  }

  /** The number of elements of an array. */
  length(array: number): number {
    let length = 0;
    this.#visit(array, () => (length += 1));
    return length;
  }

  /** The wanted elements of an array by index. */
  elements(array: number, wanted: ReadonlySet<number>): Map<number, number> {
    const found = new Map<number, number>();
    let index = 0;
    this.#visit(array, (value) => {
      if (wanted.has(index)) found.set(index, value);
      index += 1;
    });
    return found;
  }

  /** The value of a string. */
  string(value: number): string {
    this.#read(value);
    return String(JSON.parse(this.#text.slice(value, this.#end)));
  }

  /** A value as written, without blanks between its tokens. */
  compact(value: number): string {
    // In bytes and in place: joining millions of strings takes ten times the memory.
    const bytes = Buffer.from(this.#text.slice(value, this.#endOf(value)));
    let length = 0;
    let isInString = false;
    let isEscaped = false;
    for (const byte of bytes) {
      if (byte > SPACE || isInString) {
        bytes[length] = byte;
        length += 1;
      }
      if (byte === QUOTE && !isEscaped) isInString = !isInString;
      isEscaped = byte === BACKSLASH && !isEscaped;
    }
    return bytes.toString('utf8', 0, length);
  }

  /** Reads the token at an offset or after the blanks there. Returns its first character, or '' at the end. */
  #read(offset: number): string {
    let start = offset;
    // The scanner would build a string from the blanks.
    while (BLANKS.has(this.#text.charCodeAt(start))) start += 1;
    this.#start = start;
    const first = this.#text.charAt(start);
    if (first === '"') ({ end: this.#end, problem: this.#flaw } = scanString(this.#text, start));
    else this.#scan(first);
    return first;
  }

  #scan(first: string): void {
    this.#scanner.setPosition(this.#start);
    const token: number = this.#scanner.scan();
    const error: number = this.#scanner.getTokenError();
    this.#end = this.#scanner.getPosition();
    if (/[-\d]/.test(first)) this.#flaw = token === UNKNOWN || error !== 0 ? 'expected a digit' : undefined;
    else this.#flaw = token === UNKNOWN || !KINDS.has(first) ? 'expected a value' : undefined;
  }

  #next(): string {
    return this.#read(this.#end);
  }

  /** Calls `see` for every value in an object or array, with the offset of its key if it has one. */
  #visit(container: number, see: (value: number, key: number) => void): void {
    const isObject = this.kind(container) === 'object';
    for (let first = this.#read(container + 1); first !== '}' && first !== ']';) {
      const key = this.#start;
      if (isObject) {
        this.#next();
        this.#next();
      }
      const value = this.#start;
      const end = this.#endOf(value);
      see(value, key);
      first = this.#read(end);
      if (first === ',') first = this.#next();
    }
  }

  #endOf(value: number): number {
    let depth = 0;
    for (let first = this.#read(value); ; first = this.#next()) {
      if (CLOSERS.has(first)) depth += 1;
      else if (first === '}' || first === ']') depth -= 1;
      if (depth === 0) return this.#end;
    }
  }

  /** Reads the whole text, starting with the current token. */
  #problem(start: string): string | undefined {
    if (start === '') return 'it is empty';
    const flaw = this.#firstFlaw(start);
    return flaw === undefined ? undefined : this.#describe(flaw);
  }

  #firstFlaw(start: string): Flaw | undefined {
    const closers: string[] = [];
    for (let first = start; ;) {
      const closer = CLOSERS.get(first);
      if (closer !== undefined) closers.push(closer);
      else if (this.#flaw !== undefined) return this.#valueFlaw(this.#flaw);
      first = this.#next();
      if (closer === undefined || first === closer) {
        for (; first === closers.at(-1); first = this.#next()) closers.pop();
        const expected = closers.at(-1);
        if (expected === undefined) return first === '' ? undefined : this.#here('text after its end');
        if (first !== ',') return this.#here(`expected ',' or '${expected}'`);
        first = this.#next();
      }
      if (closers.at(-1) !== '}') continue;
      if (first !== '"') return this.#here('expected a key in double quotes');
      if (this.#flaw !== undefined) return this.#valueFlaw(this.#flaw);
      if (this.#next() !== ':') return this.#here("expected ':'");
      first = this.#next();
    }
  }

  #valueFlaw(problem: string): Flaw {
    return problem === 'expected a value' ? this.#here(problem) : { offset: this.#end, problem };
  }

  #here(problem: string): Flaw {
    return { offset: this.#start, problem };
  }

  /**
   * Describes a flaw. Lines and columns are counted as in editors: from 1, in UTF-16 units, with LF, CR and CR LF as
   * line ends.
   */
  #describe({ offset, problem }: Flaw): string {
    const before = this.#text.slice(0, offset).replaceAll(/\r\n?/g, '\n');
    const column = before.length - before.lastIndexOf('\n');
    const end = offset === this.#text.length ? '; it ends here' : '';
    return `line ${before.split('\n').length}, column ${column}: ${problem}${end}`;
  }
}

/**
 * Text and escapes of a string. The limit on their number prevents the regular expression from exhausting the stack.
 */
const PIECES = /(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})){1,1000}/y;

/**
 * Scans a string literal from its opening quote. Returns the offset after it, or of its first flaw.
 *
 * The scanner of jsonc-parser joins the value of a string piece by piece, which takes 1.3 GB for 16 MiB of escapes, and
 * reports flaws without their position.
 */
function scanString(text: string, start: number): Readonly<{ end: number; problem: string | undefined }> {
  let end = start + 1;
  PIECES.lastIndex = end;
  while (PIECES.test(text)) end = PIECES.lastIndex;
  if (text[end] === '"') return { end: end + 1, problem: undefined };
  if (end === text.length) return { end, problem: `expected '"'` };
  if (text[end] !== '\\') return { end, problem: 'control character in a string' };
  const unicode = /^\\u[\dA-Fa-f]*/.exec(text.slice(end, end + 6));
  if (unicode === null) return { end: end + 1, problem: 'no such escape' };
  return { end: end + unicode[0].length, problem: 'expected four hexadecimal digits' };
}
