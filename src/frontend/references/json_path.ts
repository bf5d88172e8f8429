import { failure, type Result } from '../../base/result.ts';
import type { JsonPath } from '../schema/option_fields.ts';

/** A problem at an offset of a path, in UTF-16 units. */
type PathProblem = Readonly<{ problem: string; offset: number }>;

/**
 * Parses a JSON path to at most one value: a singular query of RFC 9535, section 2.3.5.1 (`abs-singular-query`), with
 * the names of 2.3.1.1 and 2.5.1.1, the indexes of 2.3.3.1 and the number range of 2.1. As in other queries, blanks are
 * also allowed inside of brackets.
 */
export function parseJsonPath(text: string): Result<JsonPath, PathProblem> {
  return new Parser(text).parse();
}

const MANY = 'selects more than one value; a path must select one, as in $.a.b[0]';
const HALF = 'an unpaired surrogate';

const BLANKS = /[ \t\n\r]+/y;
const INTEGER = /-?[0-9]+/y;
const SHORTHAND = /[A-Z_a-z\u{80}-\u{D7FF}\u{E000}-\u{10FFFF}][0-9A-Z_a-z\u{80}-\u{D7FF}\u{E000}-\u{10FFFF}]*/uy;
/** Parts of a quoted name. */
const IN_SINGLE_QUOTES = /[ -&(-[\]-\u{D7FF}\u{E000}-\u{10FFFF}]+|\\(?:['/\\bfnrt]|u[0-9A-Fa-f]{4})/uy;
const IN_DOUBLE_QUOTES = /[ !#-[\]-\u{D7FF}\u{E000}-\u{10FFFF}]+|\\(?:["/\\bfnrt]|u[0-9A-Fa-f]{4})/uy;

class Parser {
  readonly #text: string;
  #at = 0;
  #problem: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Result<JsonPath, PathProblem> {
    const path: (string | number)[] = [];
    if (!this.#take('$')) this.#fail('a path begins with $, as in $.a.b[0]');
    while (this.#problem === undefined && this.#at < this.#text.length) {
      const segment = this.#segment();
      if (segment !== undefined) path.push(segment);
    }
    if (this.#problem === undefined) return { ok: true, value: path };
    return failure({ problem: this.#problem, offset: this.#at });
  }

  #segment(): string | number | undefined {
    const start = this.#at;
    const isBlank = this.#match(BLANKS) !== undefined;
    if (isBlank && this.#at === this.#text.length) return this.#fail('trailing blanks', start);
    if (this.#take('[')) return this.#inBrackets();
    if (!this.#take('.')) return this.#fail("expected '.' or '['; write other names as ['other name']");
    const name = this.#match(SHORTHAND);
    if (name !== undefined) return name;
    return this.#fail(this.#sees('.*') ? MANY : "expected a name; write other names as ['other name']");
  }

  #inBrackets(): string | number | undefined {
    this.#match(BLANKS);
    const selector = this.#sees(`'"`) ? this.#name() : this.#index();
    if (selector === undefined) return undefined;
    this.#match(BLANKS);
    if (this.#take(']')) return selector;
    return this.#fail(this.#sees(',:') ? MANY : "expected ']'");
  }

  #index(): number | undefined {
    const start = this.#at;
    const digits = this.#match(INTEGER);
    if (digits === undefined) return this.#fail(this.#sees('*?:') ? MANY : 'expected a name in quotes, or an index');
    if (/^(?:-0|0.)/.test(digits)) return this.#fail('an index has no leading zero, and is not -0', start);
    const index = Number(digits);
    return Number.isSafeInteger(index) ? index : this.#fail('an index must be between -(2^53)+1 and (2^53)-1', start);
  }

  #name(): string | undefined {
    const start = this.#at;
    const quote = this.#text.charAt(start);
    this.#at += 1;
    while (this.#match(quote === "'" ? IN_SINGLE_QUOTES : IN_DOUBLE_QUOTES) !== undefined);
    const written = this.#text.slice(start + 1, this.#at);
    if (!this.#take(quote)) return this.#fail(this.#wrongInQuotes());
    const json = quote === '"' ? written : written.replaceAll(/\\'|"/g, (found) => (found === '"' ? '\\"' : "'"));
    const name = String(JSON.parse(`"${json}"`));
    return name.isWellFormed() ? name : this.#fail(HALF, start);
  }

  #wrongInQuotes(): string {
    if (this.#at === this.#text.length) return 'the quote is not closed';
    if (this.#sees('\\')) return "not an escape sequence: use JSON's, or escape the enclosing quote";
    return this.#text.charAt(this.#at) < ' ' ? 'a control character; write it as an escape sequence' : HALF;
  }

  /** Skips the match of a sticky pattern at the current offset. */
  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #take(character: string): boolean {
    const isHere = this.#text.startsWith(character, this.#at);
    if (isHere) this.#at += 1;
    return isHere;
  }

  /** Whether the next character is one of `characters`. */
  #sees(characters: string): boolean {
    return this.#at < this.#text.length && characters.includes(this.#text.charAt(this.#at));
  }

  #fail(problem: string, at = this.#at): undefined {
    this.#problem = problem;
    this.#at = at;
  }
}
