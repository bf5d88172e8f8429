/** A mistake in a condition: the expression syntax of another tool, or an unterminated quote. */
export type ConditionProblem = 'expression' | 'template' | 'double quote' | 'single quote' | 'backquote';

const TEMPLATE = /\{\{([^{}]*)\}\}/y;

const SINGLE_QUOTED = /'[^']*'/y;
const ANSI_QUOTED = /'[^'\\]*(?:\\[^][^'\\]*)*'/y;
/** The shell parses the command inside only when it runs it. */
const BACKQUOTED = /`[^`\\]*(?:\\[^][^`\\]*)*`/y;

/** A word followed by a comparison operator. */
const COMPARISON = /^\s*(?:!\s+)*((?:"[^"]*"|'[^']*'|\$\([^()]*\)|\$(?!\()|[^\s"'$])+)\s+(==?|!=)(?:\s|$)/;

/** Commands that accept a comparison operator as an argument. */
const TAKES_OPERATORS = new Set(['[', '[[', 'test', 'echo', 'printf', 'expr']);

/** A variable, with or without `$`. */
const NAME = /^"?\$?\{?([A-Za-z_]\w*)\}?"?$/;

/** A comparison outside a test command: its operator, and its left side if that is a variable. */
export type BareComparison = Readonly<{ operator: string; variable: string | undefined }>;

/** Finds a comparison that the shell would run as a command. Takes time linear in the condition's length. */
export function findBareComparison(condition: string): BareComparison | undefined {
  const [, word = '', operator] = COMPARISON.exec(condition) ?? [];
  if (operator === undefined || TAKES_OPERATORS.has(word)) return undefined;
  return { operator, variable: NAME.exec(word)?.[1] };
}

/**
 * Finds the first problem of a condition. Gives up at a here-document and at ambiguous quotes. Takes time linear in the
 * condition's length.
 */
export function findConditionProblem(condition: string): ConditionProblem | undefined {
  if (!/["'`]|\{\{/.test(condition)) return undefined;
  const problem = new ConditionScanner(condition).problem();
  const isQuote = problem !== 'expression' && problem !== 'template';
  // The patterns of `case` have unbalanced parentheses, which can mislead the scanner about quotes.
  return isQuote && /\bcase\b/.test(condition) ? undefined : problem;
}

/** The characters that end an open quote, expansion or subshell; empty for the condition itself. */
type Closer = '' | '"' | '}' | ')';

class ConditionScanner {
  readonly #text: string;
  readonly #open: Closer[] = [''];
  #openDoubleQuotes = 0;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  problem(): ConditionProblem | undefined {
    while (this.#at < this.#text.length) {
      const found = this.#next();
      if (found === 'ambiguous') return undefined;
      if (found !== undefined) return found;
    }
    return this.#openDoubleQuotes > 0 ? 'double quote' : undefined;
  }

  #next(): ConditionProblem | 'ambiguous' | undefined {
    const character = this.#text.charAt(this.#at);
    const closer = this.#open.at(-1);
    if (character === '\\') this.#at += 2;
    else if (character === closer) this.#close();
    else if (character === '"') this.#push('"', 1);
    else if (character === '`') return this.#skipQuoted(BACKQUOTED, 'backquote');
    else if (character === '$' && this.#sees('${{')) return 'expression';
    else if (character === '$' && this.#sees('${steps.')) this.#skipTo('}');
    else if (character === '$' && this.#sees('${')) this.#push('}', 2);
    else if (character === '$' && this.#sees('$(')) this.#push(')', 2);
    else if (closer === '"') this.#at += 1;
    else if (character === "'") return this.#singleQuote(closer === '}');
    else if (closer === '}') this.#at += 1;
    else return this.#inCommand(character);
    return undefined;
  }

  /** Reads a character that is special only in a command. */
  #inCommand(character: string): ConditionProblem | 'ambiguous' | undefined {
    const startsWord = this.#at === 0 || /[\s;|&()]/.test(this.#text.charAt(this.#at - 1));
    if (character === '(') this.#push(')', 1);
    else if (character === '#' && startsWord) this.#skipTo('\n');
    else if (character === '<' && this.#sees('<<<')) this.#at += 3;
    else if (character === '<' && this.#sees('<<')) return 'ambiguous';
    else if (character === '{' && startsWord && this.#seesTemplate()) return 'template';
    else this.#at += 1;
    return undefined;
  }

  /** Skips a single-quoted text. In an expansion in double quotes, a single quote may be literal. */
  #singleQuote(inExpansion: boolean): ConditionProblem | 'ambiguous' | undefined {
    if (inExpansion && this.#openDoubleQuotes > 0) return 'ambiguous';
    const hasEscapes = this.#text.charAt(this.#at - 1) === '$';
    return this.#skipQuoted(hasEscapes ? ANSI_QUOTED : SINGLE_QUOTED, 'single quote');
  }

  /** Skips quoted text. The sticky `pattern` matches it unless it is unterminated. */
  #skipQuoted(pattern: RegExp, problem: ConditionProblem): ConditionProblem | undefined {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return problem;
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
