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

/** The characters that end an open quote, expansion or subshell; empty for the condition itself. */
type Closer = '' | '"' | '}' | ')';

/**
 * Finds the templates of a command, and an unterminated quote. Ends at a here-document and at ambiguous quotes. Takes time
 * linear in the length of the command.
 */
export function* scanTemplates(command: string): Generator<Template | UnterminatedQuote> {
  const open: Closer[] = [''];
  let openDoubleQuotes = 0;
  let at = 0;

  function nextPart(): Template | UnterminatedQuote | 'ambiguous' | undefined {
    const character = command.charAt(at);
    const closer = open.at(-1);
    if (character === '\\') at += 2;
    else if (character === closer) close();
    else if (character === '"') push('"', 1);
    else if (character === '`') return skipQuoted(BACKQUOTED, 'backquote');
    else if (character === '$' && sees('${{')) return expression();
    else if (character === '$' && sees('${steps.')) skipTo('}');
    else if (character === '$' && sees('${')) push('}', 2);
    else if (character === '$' && sees('$(')) push(')', 2);
    else if (character === '{' && closer !== '}' && seesTemplate()) return found('template', TEMPLATE.lastIndex);
    else if (closer === '"') at += 1;
    else if (character === "'") return singleQuote(closer === '}');
    else if (closer === '}') at += 1;
    else return inCommand(character);
    return undefined;
  }

  /** Reads a character that is special only in a command. */
  function inCommand(character: string): 'ambiguous' | undefined {
    if (character === '(') push(')', 1);
    else if (character === '#' && startsWord()) skipTo('\n');
    else if (character === '<' && sees('<<<')) at += 3;
    else if (character === '<' && sees('<<')) return 'ambiguous';
    else at += 1;
    return undefined;
  }

  /** Skips an expression, or only its beginning if it has no end. */
  function expression(): Template {
    EXPRESSION.lastIndex = at;
    return found('expression', EXPRESSION.test(command) ? EXPRESSION.lastIndex : at + '${{'.length);
  }

  /** Skips a template, after `seesTemplate`. */
  function found(kind: Template['kind'], end: number): Template {
    const found = { kind, start: at, end, isQuoted: open.at(-1) === '"', startsWord: startsWord() };
    at = end;
    return found;
  }

  function startsWord(): boolean {
    return at === 0 || /[\s;|&()]/.test(command.charAt(at - 1));
  }

  /** Skips a single-quoted command. In an expansion in double quotes, a single quote may be literal. */
  function singleQuote(inExpansion: boolean): UnterminatedQuote | 'ambiguous' | undefined {
    if (inExpansion && openDoubleQuotes > 0) return 'ambiguous';
    const hasEscapes = command.charAt(at - 1) === '$';
    return skipQuoted(hasEscapes ? ANSI_QUOTED : SINGLE_QUOTED, 'single quote');
  }

  /** Skips quoted command. The sticky `pattern` matches it unless it is unterminated. */
  function skipQuoted(pattern: RegExp, kind: UnterminatedQuote['kind']): UnterminatedQuote | undefined {
    pattern.lastIndex = at;
    if (!pattern.test(command)) return { kind };
    at = pattern.lastIndex;
    return undefined;
  }

  function push(closer: Closer, length: number): void {
    if (closer === '"') openDoubleQuotes += 1;
    open.push(closer);
    at += length;
  }

  function close(): void {
    if (open.pop() === '"') openDoubleQuotes -= 1;
    at += 1;
  }

  function sees(part: string): boolean {
    return command.startsWith(part, at);
  }

  /** True at a `{{ … }}` that is not a brace expansion. Those contain a comma or `..`, and no blanks. */
  function seesTemplate(): boolean {
    TEMPLATE.lastIndex = at;
    const [, inner] = TEMPLATE.exec(command) ?? [];
    return inner !== undefined && (/\s/.test(inner) || !/,|\.\./.test(inner));
  }

  /** Moves past the next occurrence of a character, or to the end. */
  function skipTo(character: string): void {
    const found = command.indexOf(character, at);
    at = found === -1 ? command.length : found + 1;
  }

  while (at < command.length) {
    const found = nextPart();
    if (found === 'ambiguous') return;
    if (found !== undefined) yield found;
    if (found?.kind === 'single quote' || found?.kind === 'backquote') return;
  }
  if (openDoubleQuotes > 0) yield { kind: 'double quote' };
}
