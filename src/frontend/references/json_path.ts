import { failure, type Result } from '../../base/result.ts';
import type { JsonPath } from '../schema/option_fields.ts';

/** A problem at an offset of a path, in UTF-16 units. */
type PathProblem = Readonly<{ problem: string; offset: number }>;

const MANY = 'selects more than one value; a path must select one, as in $.a.b[0]';
const HALF = 'an unpaired surrogate';

const BLANKS = /[ \t\n\r]+/y;
const INTEGER = /-?[0-9]+/y;
const SHORTHAND = /[A-Z_a-z\u{80}-\u{D7FF}\u{E000}-\u{10FFFF}][0-9A-Z_a-z\u{80}-\u{D7FF}\u{E000}-\u{10FFFF}]*/uy;
/** Parts of a quoted name. */
const IN_SINGLE_QUOTES = /[ -&(-[\]-\u{D7FF}\u{E000}-\u{10FFFF}]+|\\(?:['/\\bfnrt]|u[0-9A-Fa-f]{4})/uy;
const IN_DOUBLE_QUOTES = /[ !#-[\]-\u{D7FF}\u{E000}-\u{10FFFF}]+|\\(?:["/\\bfnrt]|u[0-9A-Fa-f]{4})/uy;

/**
 * Parses a JSON path to at most one value: a singular query of RFC 9535, section 2.3.5.1 (`abs-singular-query`), with
 * the names of 2.3.1.1 and 2.5.1.1, the indexes of 2.3.3.1 and the number range of 2.1. As in other queries, blanks are
 * also allowed inside of brackets.
 */
export function parseJsonPath(text: string): Result<JsonPath, PathProblem> {
  let position = 0;
  let problem = '';

  function nextSegment(): string | number | undefined {
    const start = position;
    const isBlank = match(BLANKS) !== undefined;
    if (isBlank && position === text.length) return fail('trailing blanks', start);
    if (take('[')) return inBrackets();
    if (!take('.')) return fail("expected '.' or '['; write other names as ['other name']");
    const name = match(SHORTHAND);
    if (name !== undefined) return name;
    return fail(sees('.*') ? MANY : "expected a name; write other names as ['other name']");
  }

  function inBrackets(): string | number | undefined {
    match(BLANKS);
    const selector = sees(`'"`) ? name() : index();
    if (selector === undefined) return undefined;
    match(BLANKS);
    if (take(']')) return selector;
    return fail(sees(',:') ? MANY : "expected ']'");
  }

  function index(): number | undefined {
    const start = position;
    const digits = match(INTEGER);
    if (digits === undefined) return fail(sees('*?:') ? MANY : 'expected a name in quotes, or an index');
    if (/^(?:-0|0.)/.test(digits)) return fail('an index has no leading zero, and is not -0', start);
    const index = Number(digits);
    return Number.isSafeInteger(index) ? index : fail('an index must be between -(2^53)+1 and (2^53)-1', start);
  }

  function name(): string | undefined {
    const start = position;
    const quote = text.charAt(start);
    position += 1;
    while (match(quote === "'" ? IN_SINGLE_QUOTES : IN_DOUBLE_QUOTES) !== undefined);
    const written = text.slice(start + 1, position);
    if (!take(quote)) return fail(wrongInQuotes());
    const json = quote === '"' ? written : written.replaceAll(/\\'|"/g, (found) => (found === '"' ? '\\"' : "'"));
    const name = String(JSON.parse(`"${json}"`));
    return name.isWellFormed() ? name : fail(HALF, start);
  }

  function wrongInQuotes(): string {
    if (position === text.length) return 'the quote is not closed';
    if (sees('\\')) return "not an escape sequence: use JSON's, or escape the enclosing quote";
    return text.charAt(position) < ' ' ? 'a control character; write it as an escape sequence' : HALF;
  }

  /** Skips the match of a sticky pattern at the current offset. */
  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = position;
    const found = pattern.exec(text)?.[0];
    position += found?.length ?? 0;
    return found;
  }

  function take(character: string): boolean {
    const isHere = text.startsWith(character, position);
    if (isHere) position += 1;
    return isHere;
  }

  /** Whether the next character is one of `characters`. */
  function sees(characters: string): boolean {
    return position < text.length && characters.includes(text.charAt(position));
  }

  function fail(why: string, at = position): undefined {
    problem = why;
    position = at;
  }

  const path: (string | number)[] = [];
  if (!take('$')) return failure({ problem: 'a path begins with $, as in $.a.b[0]', offset: 0 });
  while (position < text.length) {
    const segment = nextSegment();
    if (segment === undefined) return failure({ problem, offset: position });
    path.push(segment);
  }
  return { ok: true, value: path };
}
