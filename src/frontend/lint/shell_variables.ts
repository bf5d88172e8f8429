/**
 * The variables of a command. `read` contains those used as if they were set, `expected` those tested or used with a
 * fallback.
 */
export type ShellVariables = Readonly<{ read: ReadonlySet<string>; expected: ReadonlySet<string> }>;

const NO_VARIABLES: ShellVariables = { read: new Set(), expected: new Set() };

/**
 * Quoted text and comments, and everything after the start of a here-document, in which quotes have another meaning.
 */
const QUOTED = [
  String.raw`\\[^]`,
  String.raw`\$'[^'\\]*(?:\\[^][^'\\]*)*'`,
  String.raw`'[^']*'`,
  String.raw`"[^"\\]*(?:\\[^][^"\\]*)*"`,
  String.raw`(?<!<)<<(?!<)[^]*`,
  String.raw`(?<![^\s;|&(])#[^\n]*`,
].join('|');

let quotedPattern: RegExp | undefined;

/** `$NAME` and `${NAME}`; any expansion; an expansion with a fallback; and a test. */
const PLAIN = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;
const EXPANSION = /\$\{?[#!]?([A-Za-z_]\w*)/g;
const WITH_FALLBACK = /\$\{([A-Za-z_]\w*):?[-=?+]/g;
const TEST = /(?:\[\[?|\btest|\bcase)\s[^\]\n;&|]*/g;

/** A reference to an output, which is not a variable. */
const OUTPUT = /\$\{steps\.[^$}]*(?:\$(?!\{)[^$}]*)*\}/g;

/** Commands that may set variables without naming them. */
const SETS_ANYTHING =
  /(?:^|[;|&({]|\b(?:then|do|else|coproc)\s)[ \t]*(?:(?:\.|source|eval)\s|(?:export|declare|typeset|local|readonly|read)\s(?:-\w+\s)*"?\$)/m;

/** A named coprocess, for which bash sets `NAME` and `NAME_PID`. */
const COPROCESS = /\bcoproc\s+([A-Za-z_]\w*)\s/g;

/** Variables that bash sets. */
export const SET_BY_SHELL =
  /^(?:_|BASH\w*|CLI_CALLER_DIR|COLUMNS|COPROC\w*|DIRSTACK|E?UID|EPOCH\w+|FUNCNAME|GROUPS|HOST\w+|IFS|LINENO|LINES|MACHTYPE|OLDPWD|OPT\w+|OSTYPE|PIPESTATUS|PPID|PS4|PWD|RANDOM|REPLY|SECONDS|SHELL\w*|SHLVL|SRANDOM)$/;

/**
 * Finds the variables that the shell expands in a command. A name that the command also mentions without `$`
 * (`read NAME`, `NAME=x`) is omitted, because the command may set it. Takes time linear in the command.
 */
export function shellVariables(command: string): ShellVariables {
  if (!command.includes('$')) return NO_VARIABLES;
  const text = expandedPart(command);
  const words = bareWordsIn(text);
  for (const [, name = ''] of text.matchAll(COPROCESS)) words.add(`${name}_PID`);
  const isSetHere = (name: string): boolean => words.has(name) || SET_BY_SHELL.test(name);
  const read = SETS_ANYTHING.test(text) ? [] : names(text, PLAIN).filter((name) => !isSetHere(name));
  const tested = [...text.matchAll(TEST)].flatMap(([test]) => names(test, PLAIN));
  return { read: new Set(read), expected: new Set([...names(text, WITH_FALLBACK), ...tested]) };
}

/** A quote or an escape inside of a word, which changes the word, or an escaped `$`. */
const JOINED = /[\w${](?:\\|\$?')|\\\$/;
const NAMES = /\$\{?[#!]?([A-Za-z_]\w*)/g;
const EXPECTS = /\$\{\w+:?[-=?+]|\[|test|case/;

/**
 * Whether a command may use a variable for which `isSought` holds. A fast test with false positives, unlike
 * `shellVariables`.
 */
export function mayUse(command: string, isSought: (name: string) => boolean): boolean {
  if (!command.includes('$')) return false;
  if (mayJoin(command)) return true;
  NAMES.lastIndex = 0;
  for (let found = NAMES.exec(command); found !== null; found = NAMES.exec(command)) {
    if (found[1] !== undefined && isSought(found[1])) return true;
  }
  return false;
}

/** Whether `shellVariables` may find expected variables in a command: a fast test like `mayUse`. */
export function mayExpect(command: string): boolean {
  return command.includes('$') && (mayJoin(command) || EXPECTS.test(command));
}

function mayJoin(command: string): boolean {
  return (command.includes("'") || command.includes('\\')) && JOINED.test(command);
}

const WORDS = /(?<!\$\{?[#!]?)[A-Za-z_]\w*/g;
/** An escaped letter, after which the rest of a word is a word of its own: `C` in `\BC`. */
const ESCAPED = /\\\w/;

/** Whether a command may contain one of some names as a bare word: a fast test like `mayUse`. */
export function mayMention(names: readonly string[]): (command: string) => boolean {
  const sought = new Set(names);
  return (command) => {
    if (command.includes('\\') && ESCAPED.test(command)) return true;
    return mayJoin(command) || command.match(WORDS)?.some((word) => sought.has(word)) === true;
  };
}

/** The words of a command that could be variable names, without `$`. Runs in time linear in the command. */
export function bareWords(command: string): ReadonlySet<string> {
  return bareWordsIn(expandedPart(command));
}

function bareWordsIn(text: string): Set<string> {
  return new Set(text.replace(/\$\{?[#!]?[A-Za-z_]\w*/g, '').match(/[A-Za-z_]\w*/g));
}

/** The variables that a command expands in any way. */
export function expandedVariables(command: string): readonly string[] {
  return command.includes('$') ? names(expandedPart(command), EXPANSION) : [];
}

/** A command of the same length with `%` in place of quoted text, and without comments and here-documents. */
export function unquotedPart(command: string): string {
  quotedPattern ??= new RegExp(QUOTED, 'g');
  return command.replace(quotedPattern, (found) => (/^[#<]/.test(found) ? '\n' : '%').repeat(found.length));
}

/** A command without the text that the shell does not expand, and without references to outputs. */
export function expandedPart(command: string): string {
  const hasInner = /\$\(|`/.test(command);
  quotedPattern ??= new RegExp(QUOTED, 'g');
  return command.replace(OUTPUT, '%').replace(quotedPattern, (found) => {
    if (!found.startsWith('"')) return /^[#<]/.test(found) ? '\n' : '';
    const unescaped = found.replace(/\\[^]/g, '');
    // In a command substitution inside double quotes, single quotes quote again.
    return hasInner ? unescaped.replace(/'[^']*'/g, '') : unescaped;
  });
}

function names(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, first, second]) => first ?? second ?? '');
}
