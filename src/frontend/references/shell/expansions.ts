import { isQuoted, PLAIN, quotesOf, type ShellPlace } from './contexts.ts';
import type { Reader } from './reader.ts';

const SPECIAL_PARAMETER = /\$[$!#?@*\-0-9]/y;
/** An expansion with an operator that takes a literal word or pattern. */
const PARAMETER = /\$\{(?:\w+|[@*])(:?[-+?=]|%%?|##?)/y;
const CHANGES_TEXT = /\$\{\w+[/^,]/y;
/** `${ command; }` and `${| command; }` of bash 5.3. */
const RUNS_IN_PLACE = /\$\{[\s|]/y;
/** Expansions that bash 3.2 lacks: changes of case, `@`, negative subscripts and lengths, and variables. */
const NEWER =
  /\$(?:\{!?(?:\w+|[@*])(?:\[[^\]]*\])?(?:\^\^?|,,?|@[A-Za-z](?=\}))[^{}"']*\}?|\{\w+(?:\[-\d+\]|:\d+: ?-\d+)\}?|\{?(?:BASHPID|EPOCHSECONDS|EPOCHREALTIME|SRANDOM)\b\}?)/y;
const PROCESS_SUBSTITUTION = /[<>]\(/y;
/** A `#` in backticks that can begin a comment. */
const COMMENT_SIGN = /(?<=[\s;&|()`])#/y;

/**
 * Reads quotes and expansions (POSIX XCU 2.2 and 2.6; manual of bash, 3.1.2 and 3.5). The commands of a substitution
 * are read by a function that starts after the opening parenthesis and returns whether it has read the closing one.
 */
export class Expansions {
  readonly #reader: Reader;
  readonly #readCommands: (printsCode: boolean) => boolean;

  constructor(reader: Reader, readCommands: (printsCode: boolean) => boolean) {
    this.#reader = reader;
    this.#readCommands = readCommands;
  }

  /** Reads one quotation, expansion, escape or character. */
  read(place: ShellPlace): void {
    switch (this.#reader.character) {
      case '$':
        return this.#dollar(place);
      case '\\':
        return this.#backslash();
      case "'":
        return this.#singleQuote(place);
      case '"':
        return this.#doubleQuote(place);
      case '`':
        return this.#backticks();
      default:
        return this.#other(place);
    }
  }

  /** Reads `((…))` or `$((…))`. The opening has `length` characters. */
  arithmetic(length: number, { quoted }: ShellPlace): void {
    const reader = this.#reader;
    this.#parentheses(length, { context: 'arithmetic', quoted, refusal: 'arithmetic' });
    // `((` can also open two subshells; then there is text between their closing parentheses.
    if (reader.character === ')') reader.at += 1;
    else reader.giveUp();
  }

  /** Reads the parentheses of a pattern, as in `@(a|b)`. */
  pattern({ quoted, refusal }: ShellPlace): void {
    this.#parentheses(1, { context: 'pattern', quoted, refusal });
  }

  /** Reads a subscript or `$[…]`. The opening has `length` characters. */
  subscript(length: number, { quoted }: ShellPlace): void {
    const place = { context: 'subscript', quoted, refusal: 'arithmetic' } as const;
    this.#until(']', length, PLAIN.subscript, () => {
      if (this.#reader.character === '[') this.subscript(1, place);
      else this.read(place);
    });
  }

  /** Reads `$(…)`, `<(…)` or `>(…)`. */
  substitution(printsCode: boolean): void {
    this.#reader.nest(() => {
      this.#reader.at += 2;
      return this.#readCommands(printsCode);
    });
  }

  #parentheses(length: number, place: ShellPlace): void {
    this.#until(')', length, PLAIN[place.context], () => {
      if (this.#reader.character === '(') this.#parentheses(1, place);
      else this.read(place);
    });
  }

  #dollar(place: ShellPlace): void {
    const reader = this.#reader;
    const { context, refusal } = place;
    if (reader.reference(quotesOf(context), refusal)) return;
    reader.variables.expand(reader.text, reader.at);
    if (reader.matches(NEWER)) reader.addNewer(reader.at, NEWER.lastIndex);
    const next = reader.text.slice(reader.at + 1, reader.at + 3);
    if (next === '((') this.arithmetic(3, place);
    else if (next.startsWith('(')) this.substitution(refusal === 'code');
    else if (next.startsWith('[')) this.subscript(2, place);
    else if (next.startsWith('{')) this.#parameter(place);
    else if (next.startsWith("'") && !isQuoted(context)) {
      // In "$(… ${X:-$'…'})", bash 5.2 removes the quotes and parses their content as part of the command.
      if (context === 'operand') reader.giveUp();
      else this.#quotation('ansi', 2, place);
    } else if (!reader.skip(SPECIAL_PARAMETER)) reader.at += 1;
  }

  #parameter({ context, quoted, refusal }: ShellPlace): void {
    const reader = this.#reader;
    if (reader.matches(RUNS_IN_PLACE)) return reader.giveUp();
    const inner = quoted ? 'quoted operand' : 'operand';
    PARAMETER.lastIndex = reader.at;
    const found = PARAMETER.exec(reader.text);
    if (found === null) {
      const because = reader.matches(CHANGES_TEXT) ? 'operand' : 'arithmetic';
      return this.#operand(2, { context: inner, quoted, refusal: because });
    }
    const [{ length }, operator = ''] = found;
    const isPattern = /[%#]/.test(operator);
    // Directly in double quotes, the surrounding quotes do not apply to a pattern: quotes in it quote.
    if (isPattern && context === 'double' && !reader.inBody) {
      return this.#operand(length, { context: 'operand', quoted, refusal });
    }
    const isUnsure = quoted ? isPattern || context === 'operand' : operator.endsWith('=');
    return this.#operand(length, { context: inner, quoted, refusal: isUnsure ? 'operand' : refusal });
  }

  /** Reads an expansion up to its closing brace. The opening has `length` characters. */
  #operand(length: number, place: ShellPlace): void {
    this.#until('}', length, PLAIN[place.context], () => this.read(place));
  }

  #backslash(): void {
    const reader = this.#reader;
    const isContinuation = reader.text.charAt(reader.at + 1) === '\n';
    // Shells remove it before they recognise `$(` and the like.
    if (isContinuation && reader.text.charAt(reader.at - 1) === '$') reader.giveUp();
    reader.at += 2;
  }

  #singleQuote(place: ShellPlace): void {
    // Shells disagree on whether it quotes here.
    if (place.context === 'quoted operand' || place.context === 'arithmetic') this.#reader.giveUp();
    else this.#quotation('single', 1, place);
  }

  /** Reads `'…'` or `$'…'`, in which only references are expanded. */
  #quotation(quotes: 'single' | 'ansi', length: number, { refusal }: ShellPlace): void {
    const reader = this.#reader;
    this.#until("'", length, PLAIN[quotes], () => {
      if (reader.character === '\\') reader.at += 2;
      else if (!reader.reference(quotes, refusal)) reader.at += 1;
    });
  }

  #doubleQuote({ context, refusal }: ShellPlace): void {
    const inOperand = context === 'quoted operand';
    if (inOperand && this.#reader.inBody) return this.#reader.giveUp();
    const place = { context: 'double', quoted: true, refusal: inOperand ? 'operand' : refusal } as const;
    return this.#until('"', 1, PLAIN.double, () => this.read(place));
  }

  #backticks(): void {
    const reader = this.#reader;
    const start = reader.at + 1;
    this.#until('`', 1, PLAIN.backticks, () => {
      if (reader.reference('none', 'backticks')) return;
      // Shells disagree on the end of the comment.
      if (reader.matches(COMMENT_SIGN)) reader.giveUp();
      // The `$` of `\$` belongs to the commands inside.
      const isEscape = reader.character === '\\' && reader.text.charAt(reader.at + 1) !== '$';
      reader.at += isEscape ? 2 : 1;
    });
    reader.variables.substitute(reader.text, start, reader.at - 1);
  }

  #other({ context }: ShellPlace): void {
    const reader = this.#reader;
    const isBracket = context === 'pattern' || context === 'arithmetic' || context === 'subscript';
    if (isBracket || (context === 'operand' && reader.matches(PROCESS_SUBSTITUTION))) reader.giveUp();
    else reader.at += 1;
  }

  /** Reads a construct up to its closing character. The opening has `length` characters. */
  #until(closing: string, length: number, plain: RegExp, read: () => void): void {
    const reader = this.#reader;
    reader.nest(() => {
      reader.at += length;
      while (reader.more) {
        if (reader.skip(plain)) continue;
        if (reader.character !== closing) read();
        else {
          reader.at += 1;
          return true;
        }
      }
      return false;
    });
  }
}
