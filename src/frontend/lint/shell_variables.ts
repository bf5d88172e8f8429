/**
 * The variables of a command: `read` are those that it uses as if they were set, `expected` those that it tests, or
 * uses with something to fall back on.
 */
export type ShellVariables = Readonly<{ read: ReadonlySet<string>; expected: ReadonlySet<string> }>;

const NOTHING: ShellVariables = { read: new Set(), expected: new Set() };

/** What is quoted or a comment, and all from a here-document on: in that, quotes mean something else. */
const QUOTED = new RegExp(
  [
    String.raw`\\[^]`,
    String.raw`\$'[^'\\]*(?:\\[^][^'\\]*)*'`,
    String.raw`'[^']*'`,
    String.raw`"[^"\\]*(?:\\[^][^"\\]*)*"`,
    String.raw`(?<!<)<<(?!<)[^]*`,
    String.raw`(?<![^\s;|&(])#[^\n]*`,
  ].join('|'),
  'g',
);

/** `$NAME` and `${NAME}`; the same with something to fall back on; and where variables are tested. */
const PLAIN = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;
const WITH_FALLBACK = /\$\{([A-Za-z_]\w*):?[-=?+]/g;
const TEST = /(?:\[\[?|\btest|\bcase)\s[^\]\n;&|]*/g;

/** What stands for an output of a step is no variable, whatever its name has in it. */
const OUTPUT = /\$\{steps\.[^$}]*(?:\$(?!\{)[^$}]*)*\}/g;

/** After these, variables are set whose names do not stand in the command. */
const SETS_ANYTHING =
  /(?:^|[;|&({]|\b(?:then|do|else)\s)\s*(?:(?:\.|source|eval)\s|(?:export|declare|typeset|local|readonly|read)\s(?:-\w+\s)*"?\$)/m;

/** Variables that bash sets by itself. */
export const SET_BY_SHELL =
  /^(?:_|BASH\w*|COLUMNS|COPROC\w*|DIRSTACK|E?UID|EPOCH\w+|FUNCNAME|GROUPS|HOST\w+|IFS|LINENO|LINES|MACHTYPE|OLDPWD|OPT\w+|OSTYPE|PIPESTATUS|PPID|PS4|PWD|RANDOM|REPLY|SECONDS|SHELL\w*|SHLVL|SRANDOM)$/;

/**
 * Reads the variables of a command where the shell expands them. A name that also stands there without the `$`
 * (`read NAME`, `NAME=x`) may be the command's own: a guess that says too little rather than too much. Takes time
 * linear in the command.
 */
export function shellVariables(command: string): ShellVariables {
  if (!command.includes('$')) return NOTHING;
  const text = expandedPart(command);
  const others = new Set(text.replace(/\$\{?[A-Za-z_]\w*/g, '').match(/[A-Za-z_]\w*/g));
  const isItsOwn = (name: string): boolean => others.has(name) || SET_BY_SHELL.test(name);
  const read = SETS_ANYTHING.test(text) ? [] : names(text, PLAIN).filter((name) => !isItsOwn(name));
  const tested = [...text.matchAll(TEST)].flatMap(([test]) => names(test, PLAIN));
  return { read: new Set(read), expected: new Set([...names(text, WITH_FALLBACK), ...tested]) };
}

/** A command without what the shell does not expand in it, and without outputs of steps. */
export function expandedPart(command: string): string {
  const hasInner = /\$\(|`/.test(command);
  return command.replace(OUTPUT, '%').replace(QUOTED, (found) => {
    if (!found.startsWith('"')) return /^[#<]/.test(found) ? '\n' : '';
    const unescaped = found.replace(/\\[^]/g, '');
    // In a command inside double quotes, single quotes are quotes again.
    return hasInner ? unescaped.replace(/'[^']*'/g, '') : unescaped;
  });
}

function names(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, first, second]) => first ?? second ?? '');
}
