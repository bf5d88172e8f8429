const EXPRESSION = /\$\{\{[^{}]*\}\}/y;
const TEMPLATE = /\{\{([^{}]*)\}\}/y;

const SINGLE_QUOTED = /'[^']*'/y;
const ANSI_QUOTED = /'[^'\\]*(?:\\[^][^'\\]*)*'/y;
/** The shell parses the command inside only when it runs it. */
const BACKQUOTED = /`[^`\\]*(?:\\[^][^`\\]*)*`/y;

/**
 * An expression `${{ … }}` or a template `{{ … }}` of another tool, outside of single quotes. `isQuoted`: it is in double
 * quotes. `startsWord`: no other text of the word precedes it.
 */
export type Template = Readonly<{ kind: 'expression' | 'template'; start: number; end: number }> &
  Readonly<{ isQuoted: boolean; startsWord: boolean }>;

export type UnterminatedQuote = Readonly<{ kind: 'double quote' | 'single quote' | 'backquote' }>;

/**
 * Finds the templates of a command, and an unterminated quote. Ends at a here-document and at ambiguous quotes. Takes time
 * linear in the length of the command.
 */
export function* scanTemplates(command: string): Generator<Template | UnterminatedQuote> {
  yield* new TemplateScanner(command).scan();
}

/** The characters that end an open quote, expansion or subshell; empty for the condition itself. */
type Closer = '' | '"' | '}' | ')';

class TemplateScanner {
  readonly #text: string;
  readonly #open: Closer[] = [''];
  #openDoubleQuotes = 0;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  *scan(): Generator<Template | UnterminatedQuote> {
    while (this.#at < this.#text.length) {
      const found = this.#next();
      if (found === 'ambiguous') return;
      if (found !== undefined) yield found;
      if (found?.kind === 'single quote' || found?.kind === 'backquote') return;
    }
    if (this.#openDoubleQuotes > 0) yield { kind: 'double quote' };
  }

  #next(): Template | UnterminatedQuote | 'ambiguous' | undefined {
    const character = this.#text.charAt(this.#at);
    const closer = this.#open.at(-1);
    if (character === '\\') this.#at += 2;
    else if (character === closer) this.#close();
    else if (character === '"') this.#push('"', 1);
    else if (character === '`') return this.#skipQuoted(BACKQUOTED, 'backquote');
    else if (character === '$' && this.#sees('${{')) return this.#expression();
    else if (character === '$' && this.#sees('${steps.')) this.#skipTo('}');
    else if (character === '$' && this.#sees('${')) this.#push('}', 2);
    else if (character === '$' && this.#sees('$(')) this.#push(')', 2);
    else if (character === '{' && closer !== '}' && this.#seesTemplate())
      return this.#found('template', TEMPLATE.lastIndex);
    else if (closer === '"') this.#at += 1;
    else if (character === "'") return this.#singleQuote(closer === '}');
    else if (closer === '}') this.#at += 1;
    else return this.#inCommand(character);
    return undefined;
  }

  /** Reads a character that is special only in a command. */
  #inCommand(character: string): 'ambiguous' | undefined {
    if (character === '(') this.#push(')', 1);
    else if (character === '#' && this.#startsWord) this.#skipTo('\n');
    else if (character === '<' && this.#sees('<<<')) this.#at += 3;
    else if (character === '<' && this.#sees('<<')) return 'ambiguous';
    else this.#at += 1;
    return undefined;
  }

  /** Skips an expression, or only its beginning if it has no end. */
  #expression(): Template {
    EXPRESSION.lastIndex = this.#at;
    return this.#found('expression', EXPRESSION.test(this.#text) ? EXPRESSION.lastIndex : this.#at + '${{'.length);
  }

  /** Skips a template, after `seesTemplate`. */
  #found(kind: Template['kind'], end: number): Template {
    const found = { kind, start: this.#at, end, isQuoted: this.#open.at(-1) === '"', startsWord: this.#startsWord };
    this.#at = end;
    return found;
  }

  get #startsWord(): boolean {
    return this.#at === 0 || /[\s;|&()]/.test(this.#text.charAt(this.#at - 1));
  }

  /** Skips a single-quoted text. In an expansion in double quotes, a single quote may be literal. */
  #singleQuote(inExpansion: boolean): UnterminatedQuote | 'ambiguous' | undefined {
    if (inExpansion && this.#openDoubleQuotes > 0) return 'ambiguous';
    const hasEscapes = this.#text.charAt(this.#at - 1) === '$';
    return this.#skipQuoted(hasEscapes ? ANSI_QUOTED : SINGLE_QUOTED, 'single quote');
  }

  /** Skips quoted text. The sticky `pattern` matches it unless it is unterminated. */
  #skipQuoted(pattern: RegExp, kind: UnterminatedQuote['kind']): UnterminatedQuote | undefined {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return { kind };
    this.#at = pattern.lastIndex;
    return undefined;
  }

  #push(closer: Closer, length: number): void {
    if (closer === '"') this.#openDoubleQuotes += 1;
    this.#open.push(closer);
    this.#at += length;
  }

  #close(): void {
    if (this.#open.pop() === '"') this.#openDoubleQuotes -= 1;
    this.#at += 1;
  }

  #sees(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  /** True at a `{{ … }}` that is not a brace expansion. Those contain a comma or `..`, and no blanks. */
  #seesTemplate(): boolean {
    TEMPLATE.lastIndex = this.#at;
    const [, inner] = TEMPLATE.exec(this.#text) ?? [];
    return inner !== undefined && (/\s/.test(inner) || !/,|\.\./.test(inner));
  }

  /** Moves past the next occurrence of a character, or to the end. */
  #skipTo(character: string): void {
    const found = this.#text.indexOf(character, this.#at);
    this.#at = found === -1 ? this.#text.length : found + 1;
  }
}
