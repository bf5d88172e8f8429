import { PLAIN, type ShellPlace } from './contexts.ts';
import type { Expansions } from './expansions.ts';
import type { Reader } from './reader.ts';
import type { ReferenceProblem } from './found_reference.ts';

const BLANKS = /[ \t]+/y;
const COMMENT = /#[^\n]*/y;
const PROCESS_SUBSTITUTION = /[<>]\(/y;

/** Reads words and their separators: blanks, continued lines, comments. */
export class WordReader {
  readonly #reader: Reader;
  readonly #expansions: Expansions;

  constructor(reader: Reader, expansions: Expansions) {
    this.#reader = reader;
    this.#expansions = expansions;
  }

  /** Skips blanks and continued lines. Returns whether there were any. */
  skipBlanks(): boolean {
    const reader = this.#reader;
    if (reader.skip(BLANKS)) return true;
    if (!reader.text.startsWith('\\\n', reader.at)) return false;
    const [before, after] = [reader.text.charAt(reader.at - 1), reader.text.charAt(reader.at + 2)];
    // Elsewhere, the continuation could join an operator, or continue a word.
    const isBetweenWords = /^[ \t\n]?$/.test(before) || /[ \t\n]/.test(after);
    if (!isBetweenWords && !(/[;&|(]/.test(before) && /\w/.test(after))) reader.giveUp();
    reader.at += 2;
    return true;
  }

  /** Skips blanks, comments and line breaks. Returns whether there were any. */
  skipLines(): boolean {
    const reader = this.#reader;
    if (this.skipBlanks() || reader.skip(COMMENT)) return true;
    if (reader.character !== '\n') return false;
    // The body of a here-document begins here, inside of another construct.
    if (reader.waiting > 0) reader.giveUp();
    reader.at += 1;
    return true;
  }

  /**
   * Reads a word, or the rest of one, up to a blank, a line break or an operator. Returns its text, or '' if it
   * contains quotes or expansions. `runsFiles`: whether the command runs the files named by its arguments.
   */
  read(place: ShellPlace, runsFiles: boolean): string {
    const reader = this.#reader;
    const start = reader.at;
    let isPlain = true;
    while (reader.more) {
      if (reader.skip(PLAIN.word)) continue;
      const { character } = reader;
      if (character === '#' || (character === '[' && !this.#isSubscript(start))) reader.at += 1;
      else {
        const before = reader.at;
        this.#readPart(character, start, place, runsFiles);
        if (reader.at === before) break;
        isPlain = false;
      }
    }
    return isPlain ? reader.text.slice(start, reader.at) : '';
  }

  /** Reads the elements of an array between parentheses. */
  readArray(refusal: ReferenceProblem | undefined): void {
    const reader = this.#reader;
    const place = { context: 'word', quoted: false, refusal } as const;
    reader.nest(() => {
      reader.at += 1;
      while (reader.more) {
        if (this.skipLines()) continue;
        const start = reader.at;
        if (reader.character === '[') this.#expansions.subscript(1, place);
        this.read(place, false);
        if (reader.at > start) continue;
        reader.at += 1;
        return reader.text.charAt(start) === ')';
      }
      return false;
    });
  }

  /** Reads a quote, an escape or an expansion in a word. Reads nothing at its end. */
  #readPart(character: string, start: number, place: ShellPlace, runsFiles: boolean): void {
    const reader = this.#reader;
    if (character === '[') this.#expansions.subscript(1, place);
    else if (reader.text.startsWith('\\\n', reader.at)) {
      // A blank after the continuation ends the word; otherwise the word continues in the next line.
      if (!/[ \t\n]/.test(reader.text.charAt(reader.at + 2))) reader.giveUp();
      else reader.at += 2;
    } else if (`'"\`$\\`.includes(character)) this.#expansions.read(place);
    else if (reader.matches(PROCESS_SUBSTITUTION)) {
      this.#expansions.substitution(runsFiles || place.refusal === 'code');
    } else if (character === '(' && this.#isPattern(start)) this.#expansions.pattern(place);
  }

  /** Whether a bracket in a word follows a name. */
  #isSubscript(start: number): boolean {
    const { text, at } = this.#reader;
    return at > start && /\w/.test(text.charAt(at - 1));
  }

  /** Whether a parenthesis in a word follows a pattern operator, as in `@(a|b)`. `!(` can begin a command. */
  #isPattern(start: number): boolean {
    const { text, at } = this.#reader;
    const sign = text.charAt(at - 1);
    return at > start && (/[?*+@]/.test(sign) || (sign === '!' && at - 1 > start));
  }
}
