/** Which bytes are one of some characters. Byte 0 is in no such set: it stands for the end. */
function oneOf(characters: string): Uint8Array {
  const isOne = new Uint8Array(256);
  for (const byte of Buffer.from(characters, 'latin1')) isOne[byte] = 1;
  return isOne;
}

/** What may stand in a string as it is; of what is not ASCII, any byte. */
const PLAIN = oneOf('"\\').map((isSpecial, byte) => (isSpecial === 1 || byte < 0x20 ? 0 : 1));
const BLANK = oneOf(' \t\n\r');
const QUOTE = oneOf('"');
const BACKSLASH = oneOf('\\');
const ESCAPED = oneOf('"\\/bfnrt');
const UNICODE_ESCAPED = oneOf('u');
const HEX = oneOf('0123456789ABCDEFabcdef');
const COLON = oneOf(':');
const COMMA = oneOf(',');
const MINUS = oneOf('-');
const ZERO = oneOf('0');
const DIGIT = oneOf('0123456789');
const POINT = oneOf('.');
const EXPONENT = oneOf('Ee');
const SIGN = oneOf('+-');

const OBJECT = '{'.charCodeAt(0);
const END_OF_OBJECT = '}'.charCodeAt(0);
const ARRAY = '['.charCodeAt(0);
const END_OF_ARRAY = ']'.charCodeAt(0);
const WORDS = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), [...Buffer.from(word)]]));

/**
 * Goes through JSON in UTF-8, by the grammar of RFC 8259 and nothing more. No depth is too much for it:
 * nothing calls itself, and of what it passes it keeps only which brackets are open.
 */
export class JsonScanner {
  readonly #bytes: Buffer;
  at: number;
  /** What is wrong where it is, once something is. */
  problem = '';

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** Goes past blanks and gives the byte after them; 0, which no JSON holds, at the end. */
  next(): number {
    while (this.#take(BLANK));
    return this.#bytes[this.at] ?? 0;
  }

  /** Goes past a value, to the byte behind it; false if there is none. */
  skipValue(): boolean {
    const open: number[] = [];
    for (;;) {
      if (open.at(-1) === END_OF_OBJECT && !this.skipKey()) return false;
      const first = this.next();
      if (first === OBJECT || first === ARRAY) {
        const end = first === OBJECT ? END_OF_OBJECT : END_OF_ARRAY;
        this.at += 1;
        open.push(end);
        if (this.next() !== end) continue;
      } else if (!this.#skipScalar()) return false;
      while (open.length > 0 && this.next() === open.at(-1)) {
        this.at += 1;
        open.pop();
      }
      if (open.length === 0) return true;
      if (!this.skipComma()) return this.#fail(`expected ',' or '${String.fromCharCode(open.at(-1) ?? 0)}'`);
    }
  }

  /** Goes past a key and its colon. */
  skipKey(): boolean {
    this.next();
    if (!this.#take(QUOTE)) return this.#fail('expected a key in double quotes');
    if (!this.#skipString()) return false;
    this.next();
    return this.#take(COLON) || this.#fail("expected ':'");
  }

  skipComma(): boolean {
    this.next();
    return this.#take(COMMA);
  }

  #skipScalar(): boolean {
    if (this.#take(QUOTE)) return this.#skipString();
    if (this.#take(MINUS) || this.#sees(DIGIT)) return this.#skipNumber();
    const word = WORDS.get(this.#bytes[this.at] ?? 0);
    if (word === undefined || word.some((byte, index) => this.#bytes[this.at + index] !== byte)) {
      return this.#fail('expected a value');
    }
    this.at += word.length;
    return true;
  }

  /** From behind the opening quote. */
  #skipString(): boolean {
    for (;;) {
      while (this.#take(PLAIN));
      if (this.#take(QUOTE)) return true;
      if (this.at === this.#bytes.length) return this.#fail("expected '\"'");
      if (!this.#take(BACKSLASH)) return this.#fail('control character in a string');
      if (!this.#skipEscape()) return false;
    }
  }

  #skipEscape(): boolean {
    if (this.#take(ESCAPED)) return true;
    if (!this.#take(UNICODE_ESCAPED)) return this.#fail('no such escape');
    for (let digits = 0; digits < 4; digits += 1) {
      if (!this.#take(HEX)) return this.#fail('expected four hexadecimal digits');
    }
    return true;
  }

  /** From behind the minus. */
  #skipNumber(): boolean {
    if (!this.#take(ZERO) && !this.#skipDigits()) return false;
    if (this.#take(POINT) && !this.#skipDigits()) return false;
    if (!this.#take(EXPONENT)) return true;
    this.#take(SIGN);
    return this.#skipDigits();
  }

  #skipDigits(): boolean {
    if (!this.#take(DIGIT)) return this.#fail('expected a digit');
    while (this.#take(DIGIT));
    return true;
  }

  #sees(characters: Uint8Array): boolean {
    return characters[this.#bytes[this.at] ?? 0] === 1;
  }

  #take(characters: Uint8Array): boolean {
    const isHere = this.#sees(characters);
    if (isHere) this.at += 1;
    return isHere;
  }

  #fail(problem: string): false {
    this.problem = problem;
    return false;
  }
}
