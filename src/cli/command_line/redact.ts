import { relative } from 'node:path';
import { isSecret } from '../../ir/secret_names.ts';

/** The replacement for a quoted word that must not be shown. */
export const HIDDEN = "'***'";

/** Quotes a word for an error. */
export type Redact = (word: string) => string;

/**
 * Returns a function that quotes words of a command line for usage errors. A word is shown up to its first `:` or `=`,
 * and not at all if it could be a secret. After a secret name, which blanks may separate from its value
 * (`API_TOKEN : x`), only the keys of parameters are shown. `words` are all words of the line, in order.
 */
export function createRedactor(words: readonly string[]): Redact {
  let afterSecret: ReadonlySet<string> | undefined;
  return (word) => {
    // Most command lines have no error, and need no redaction.
    afterSecret ??= wordsAfterSecret(words);
    const [name = ''] = word.split(/[:=]/);
    const isKey = name !== word && /^[A-Za-z_]\w*$/.test(name);
    if (isSecretWord(name) || isRandom(name) || (afterSecret.has(word) && !isKey)) return HIDDEN;
    return `'${name}${name === word ? '' : '…'}'`;
  };
}

/**
 * Returns whether a word must be hidden where a message repeats a command line. All parts of a word count, not only its
 * first one, and so does a password in a URL.
 */
export function createHiding(words: readonly string[]): (word: string) => boolean {
  const afterSecret = wordsAfterSecret(words);
  return (word) => afterSecret.has(word) || word.split(/[:=]/).some(mayBeSecret) || /\/\/[^/\s]*@/.test(word);
}

function mayBeSecret(part: string): boolean {
  return isSecretWord(part) || isRandom(part);
}

function wordsAfterSecret(words: readonly string[]): ReadonlySet<string> {
  const all = words.flatMap((word) => (/^--[^=]+=/.test(word) ? [word, word.replace(/^--[^=]+=/, '')] : word));
  const first = all.findIndex(isSecretName);
  return new Set(first === -1 ? [] : all.slice(first + 1));
}

/** A path for an error message. The text after a secret name with `:` or `=` is hidden: `API_TOKEN:***`. */
export function redactPath(path: string): string {
  const end = path.search(/[:=]/);
  return end !== -1 && isSecret(path.slice(0, end)) ? `${path.slice(0, end + 1)}***` : path;
}

/** Whether a word is a secret name that a value may follow. Paths of files are not. */
function isSecretName(word: string): boolean {
  const [name = ''] = word.split(/[:=]/);
  return isSecretWord(name) && !(name === word && /\/|\.(?:jsonc?|xml|html?|txt)$/.test(word));
}

/** `auth` is a command at the beginning of a line, and a secret name elsewhere. */
function isSecretWord(name: string): boolean {
  return name !== 'auth' && isSecret(name);
}

/** Whether a name looks like a key or token: long, or with letters and digits mixed without a separator. */
function isRandom(name: string): boolean {
  const parts = name.split(/[^A-Za-z0-9]/);
  return name.length >= 32 || parts.some((part) => part.length >= 10 && /[A-Za-z]/.test(part) && /\d/.test(part));
}

/** A path below the current directory as relative to it. */
export function shownPath(path: string): string {
  const way = relative('', path);
  return way.startsWith('..') ? path : way;
}
