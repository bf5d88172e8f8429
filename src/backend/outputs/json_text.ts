import { isUtf8 } from 'node:buffer';
import { JsonScanner } from './json_scanner.ts';

type Kind = 'object' | 'array' | 'string' | 'boolean' | 'null' | 'number';

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['{', 'object'],
  ['[', 'array'],
  ['"', 'string'],
  ['t', 'boolean'],
  ['f', 'boolean'],
  ['n', 'null'],
]);

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const SPACE = ' '.charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const CLOSING: ReadonlySet<number> = new Set(Buffer.from(']}'));

/**
 * A JSON text (RFC 8259), of which single values are wanted as they are written: `JSON.parse` loses digits
 * of numbers, and Node.js 20 has no way to get them back. A value is named by the offset of its first byte.
 */
export class JsonText {
  readonly #bytes: Buffer;
  /** The value that holds all others. */
  readonly root: number;
  /** What is wrong with the text and where, without a word of it. Undefined if it is JSON; only then ask for values. */
  readonly problem: string | undefined;

  /** The bytes have to be UTF-8. A byte-order mark is no part of the text. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
    const scanner = new JsonScanner(this.#bytes);
    scanner.next();
    this.root = scanner.at;
    this.problem = this.#wrongWith(scanner);
  }

  kind(value: number): Kind {
    return KINDS.get(String.fromCharCode(this.#bytes[value] ?? 0)) ?? 'number';
  }

  /** Members of an object by their names; of several with the same name the last, which `JSON.parse` takes too. */
  members(object: number, wanted: ReadonlySet<string>): Map<string, number> {
    const found = new Map<string, number>();
    this.#visit(object, (value, key) => {
      const name = this.string(key);
      if (wanted.has(name)) found.set(name, value);
    });
    return found;
  }

  /** How many elements an array has. */
  length(array: number): number {
    let length = 0;
    this.#visit(array, () => (length += 1));
    return length;
  }

  /** Elements of an array by their indexes. */
  elements(array: number, wanted: ReadonlySet<number>): Map<number, number> {
    const found = new Map<number, number>();
    let index = 0;
    this.#visit(array, (value) => {
      if (wanted.has(index)) found.set(index, value);
      index += 1;
    });
    return found;
  }

  /** What a string says. */
  string(value: number): string {
    return String(JSON.parse(this.#bytes.toString('utf8', value, this.#endOf(value))));
  }

  /** A value as it is written, but without blanks between its parts. */
  compact(value: number): string {
    const end = this.#endOf(value);
    const kept = Buffer.alloc(end - value);
    let length = 0;
    let isInString = false;
    let isEscaped = false;
    for (let at = value; at < end; at += 1) {
      const byte = this.#bytes[at] ?? 0;
      if (byte > SPACE || isInString) {
        kept[length] = byte;
        length += 1;
      }
      if (byte === QUOTE && !isEscaped) isInString = !isInString;
      isEscaped = byte === BACKSLASH && !isEscaped;
    }
    return kept.toString('utf8', 0, length);
  }

  /** Goes through the values in an object or array, each with its key if it has one. */
  #visit(container: number, see: (value: number, key: number) => void): void {
    const scanner = new JsonScanner(this.#bytes, container + 1);
    const isObject = this.kind(container) === 'object';
    while (!CLOSING.has(scanner.next())) {
      const key = scanner.at;
      if (isObject) {
        scanner.skipKey();
        scanner.next();
      }
      see(scanner.at, key);
      scanner.skipValue();
      scanner.skipComma();
    }
  }

  #endOf(value: number): number {
    const scanner = new JsonScanner(this.#bytes, value);
    scanner.skipValue();
    return scanner.at;
  }

  #wrongWith(scanner: JsonScanner): string | undefined {
    if (!isUtf8(this.#bytes)) return 'it is not UTF-8';
    if (scanner.at === this.#bytes.length) return 'it is empty';
    if (!scanner.skipValue()) return this.#place(scanner.at, scanner.problem);
    scanner.next();
    return scanner.at === this.#bytes.length ? undefined : this.#place(scanner.at, 'text after its end');
  }

  /** Lines and columns as editors count: from 1, in UTF-16 units, a line ending at LF, CR or CR LF. */
  #place(offset: number, problem: string): string {
    const before = this.#bytes.toString('utf8', 0, offset).replaceAll(/\r\n?/g, '\n');
    const column = before.length - before.lastIndexOf('\n');
    const end = offset === this.#bytes.length ? '; it ends here' : '';
    return `line ${before.split('\n').length}, column ${column}: ${problem}${end}`;
  }
}
