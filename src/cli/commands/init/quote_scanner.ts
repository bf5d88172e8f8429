type Frame = 'top' | 'single' | 'double' | 'paren' | 'brace' | 'backtick';

/** Where in a command the shell is: outside of quotes, between quotes, in a comment, or where that is not certain. */
type QuoteContext = 'plain' | 'single' | 'double' | 'comment' | 'unclear';

/** Follows the quotes of a command. A backslash before a line break is removed where the shell removes it. */
export class QuoteScanner {
  readonly #frames: Frame[] = ['top'];
  #isComment = false;
  #isUnclear = false;
  /** Whether the text so far ends with a backslash, after which an expansion would be text. */
  #isEscaping = false;
  /** The last character that was read, of any kind. */
  #last = '\n';

  get context(): QuoteContext {
    if (this.#isComment) return 'comment';
    if (this.#isUnclear || this.#isEscaping || this.#frames.includes('backtick')) return 'unclear';
    const top = this.#frames.at(-1);
    if (top === 'single' || top === 'double') return top;
    return top === 'brace' ? 'unclear' : 'plain';
  }

  /** Reads the expansion of a variable, which is part of a word. */
  addWord(): void {
    this.#last = '}';
  }

  /** Reads a text. Returns it, with lines joined as the shell joins them. */
  feed(text: string): string {
    let result = '';
    for (let index = 0; index < text.length; index += 1) {
      if (this.#isEscaping) {
        this.#isEscaping = false;
        result += text.charAt(index);
        if (text.charAt(index) !== '\n') this.#last = text.charAt(index);
        continue;
      }
      const character = text.charAt(index);
      const next = text.charAt(index + 1);
      if (character === '\\' && next !== '' && !this.#isComment && this.#frames.at(-1) !== 'single') {
        index += 1;
        if (next !== '\n') result += `\\${next}`;
        else if (this.#frames.at(-1) !== 'double') {
          const rest = /^[ \t]*/.exec(text.slice(index + 1))?.[0].length ?? 0;
          index += rest;
          if (rest > 0 && !/\s$/.test(result)) result += ' ';
          else if (/\s$/.test(result)) result = `${result.trimEnd()} `;
        }
        this.#last = next === '\n' ? this.#last : next;
        continue;
      }
      this.#isEscaping = character === '\\' && !this.#isComment && this.#frames.at(-1) !== 'single';
      this.#read(character, next);
      if (this.#isComment && character === '\\' && next === '\n') continue;
      result += character;
    }
    return result;
  }

  #read(character: string, next: string): void {
    const top = this.#frames.at(-1);
    const last = this.#last;
    this.#last = character;
    if (this.#isComment) this.#isComment = character !== '\n';
    else if (top === 'single') {
      if (character === "'") this.#frames.pop();
    } else if (top === 'double' && character === '"') this.#frames.pop();
    else if (character === '`' && top === 'backtick') this.#frames.pop();
    else if (character === '`') this.#frames.push('backtick');
    else if (character === '(' && (last === '$' || top !== 'double')) this.#frames.push('paren');
    else if (character === '{' && last === '$') this.#frames.push('brace');
    else if (character === '}' && top === 'brace') this.#frames.pop();
    else if (top !== 'double') this.#readUnquoted(character, next, last);
  }

  #readUnquoted(character: string, next: string, last: string): void {
    if (character === ')' && this.#frames.at(-1) === 'paren') this.#frames.pop();
    else if (character === "'" && this.#isInWord()) this.#frames.push('single');
    else if (character === '"') this.#frames.push('double');
    else if (character === '#' && /[\s;&|()]/.test(last)) this.#isComment = true;
    else if (character === '<' && next === '<' && !this.#frames.includes('paren')) this.#isUnclear = true;
    // The parentheses of its patterns have no counterpart.
    else if (character === 'e' && next === ' ' && last === 's' && this.#frames.includes('paren'))
      this.#isUnclear = true;
  }

  /** Whether a single quote begins a quoted text. It is an ordinary character in `"${NAME:-it's}"`. */
  #isInWord(): boolean {
    return this.#frames.at(-1) !== 'brace' || this.#frames.at(-2) !== 'double';
  }
}
