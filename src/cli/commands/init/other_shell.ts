import { QuoteScanner } from './quote_scanner.ts';
import { singleQuoted } from './shell_template.ts';

/**
 * The shell in which another tool runs its commands. `options` are the letters and names that `set` accepts, such as `eu`
 * and `pipefail`.
 */
export type OtherShell = Readonly<{ program: 'sh' | 'bash'; letters: string; hasPipefail: boolean }>;

export const SH: OtherShell = { program: 'sh', letters: '', hasPipefail: false };

/**
 * Constructs that some `sh` and bash treat differently: `echo` with backslashes and options, expansion of braces, `[[`,
 * `==`, arrays, substrings, process substitution, `$_` and `$-`, and commands that only one of them has.
 */
const DIFFERS = new RegExp(
  [
    String.raw`\becho\b[^\n]*\\[abcefnrtvx0-9\\]`,
    String.raw`\becho\s+-[nE]*[eE]`,
    String.raw`\bprintf\b[^\n]*\\[xuUeE]|%q`,
    String.raw`(?<!\$)\{[^{}\s]*(?:,|\.\.)[^{}\s]*\}`,
    String.raw`\[\[|(?<!\$)\(\(|[<>]\(|<<<|&>|\|&|>&\s*[^\s\d-]|;&|\$['"\[]`,
    String.raw`\$\{(?:!|\w+(?:[/^,@[]|:[^-+?=]))`,
    String.raw`\$\(\([^)]*(?:\+\+|--|\*\*)`,
    String.raw`\s==\s`,
    String.raw`\$\{?(?:RANDOM|E?UID|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE|SECONDS|LINENO|BASH\w*|PIPESTATUS|FUNCNAME|SHLVL|GROUPS)\b`,
    String.raw`\$\{?(?:-|_(?!\w))`,
    String.raw`\b(?:export|readonly|local)\s+\w+=[^"';&|\n]*\$`,
    String.raw`(?:^|[;&|({\n!]|\b(?:then|do|else)\s)\s*(?:function|source|select|let|declare|typeset|pushd|popd|dirs|shopt|time|type|disown|mapfile|readarray|alias|trap|kill|ulimit|hash|compgen|coproc|enable|caller|builtin|read\s+-[a-qs-zA-Z]|read\s+-r\S|wait\s+-n|exit\s+-|exec\s+-|set\s+-o|set\s+\S*[EPTBH])(?![\w-])`,
    String.raw`[@!?+*]\([^)]*\|`,
    String.raw`(?:^|\s)~[+-]`,
  ].join('|'),
  'm',
);

/** The options that `set` needs before a command. */
const NATIVE_EXPANSION = /\$(?!\()/;

/**
 * A command of another tool as a command for the shell of a step, which is bash with `pipefail`. A command that bash may
 * treat differently than `sh` is run by `sh`. `own` are the expansions that are always set.
 */
export function commandFor(shell: OtherShell, text: string): string {
  if (shell.program === 'sh' && DIFFERS.test(text)) {
    return `sh -${shell.letters}c ${singleQuoted(text)}${/\$[@*#]|\$\{[@*#]/.test(text) ? ' sh "$@"' : ''}`;
  }
  const options = [
    ...(shell.letters.replace('u', '') !== '' && /[;&|\n(]/.test(text) ? [shell.letters.replace('u', '')] : []),
    ...(shell.letters.includes('u') && NATIVE_EXPANSION.test(text.replaceAll(/\$\{\w+\}|\$\{[@*][^}]*\}|\$[@*]/g, ''))
      ? ['u']
      : []),
  ].join('');
  const settings = [
    ...(options === '' ? [] : [`set -${options}`]),
    ...(shell.hasPipefail || !hasPipe(text) ? [] : ['set +o pipefail']),
  ];
  return [...settings, text].join(text.includes('\n') ? '\n' : '; ');
}

/** Whether a command has a pipe outside of quotes, or in a command substitution. */
function hasPipe(text: string): boolean {
  const scanner = new QuoteScanner();
  return text.split(/(?<!\|)\|(?!\|)/).some((part, index, parts) => {
    scanner.feed(part);
    const { context } = scanner;
    scanner.feed('|');
    return index < parts.length - 1 && (context === 'plain' || context === 'unclear');
  });
}

/** The shell that a command line such as `bash -eu -o pipefail -c` starts; undefined for any other program. */
export function otherShell(command: string, options: readonly string[]): OtherShell | undefined {
  const [, program] = /^(?:(?:\/usr)?(?:\/local)?\/bin\/)?(?:env\s+)?(sh|bash)$/.exec(command) ?? [];
  if (program !== 'sh' && program !== 'bash') return undefined;
  let letters = '';
  let hasPipefail = false;
  let isName = false;
  for (const option of options) {
    if (isName) {
      if (option === 'pipefail') hasPipefail = true;
      else if (option === 'errexit') letters += 'e';
      else if (option === 'nounset') letters += 'u';
      else return undefined;
      isName = false;
      continue;
    }
    const [, set] = /^-([eucoxf]+)$/.exec(option) ?? [];
    if (set === undefined) return undefined;
    letters += set.replaceAll(/[co]/g, '');
    isName = set.endsWith('o') || set.includes('o');
  }
  return { program, letters, hasPipefail };
}
