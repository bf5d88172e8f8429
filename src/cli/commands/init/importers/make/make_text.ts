/** A part of a text of make: characters, or a reference: `$(NAME)` without the brackets, or `@` for `$@`. */
export type MakePart = string | Readonly<{ reference: string }>;

/** The parts of a text, with `$` for `$$`. */
export function makeParts(text: string): MakePart[] {
  const parts: MakePart[] = [];
  let plain = '';
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    const next = text.charAt(index + 1);
    if (character !== '$') plain += character;
    else if (next === '$') {
      plain += '$';
      index += 1;
    } else {
      const reference = next === '(' || next === '{' ? bracketed(text, index + 1) : next;
      parts.push(plain, { reference });
      plain = '';
      index += next === '(' || next === '{' ? reference.length + 2 : 1;
    }
  }
  return [...parts, plain].filter((part) => part !== '');
}

/** The text between an opening bracket and its counterpart. */
function bracketed(text: string, start: number): string {
  const open = text.charAt(start);
  const close = open === '(' ? ')' : '}';
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    if (text.charAt(index) === open) depth += 1;
    else if (text.charAt(index) === close && --depth === 0) return text.slice(start + 1, index);
  }
  return text.slice(start + 1);
}

/** The words of a text. */
export function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

type TextFunction = (...args: readonly string[]) => string;

/** The functions of make whose result depends on nothing but their arguments, with the number of these. */
const FUNCTIONS = new Map<string, readonly [count: number, call: TextFunction]>([
  ['subst', [3, (from = '', to = '', text = '') => (from === '' ? text + to : text.replaceAll(from, () => to))]],
  ['patsubst', [3, (from = '', to = '', text = '') => substitutedWords(text, from.trim(), to.trim())]],
  ['strip', [1, (text = '') => words(text).join(' ')]],
  ['firstword', [1, (text = '') => words(text)[0] ?? '']],
  ['lastword', [1, (text = '') => words(text).at(-1) ?? '']],
  ['words', [1, (text = '') => String(words(text).length)]],
  ['word', [2, (number = '', text = '') => words(text)[Number(number) - 1] ?? '']],
  ['filter', [2, (patterns = '', text = '') => mapWords(text, (word) => (matchesAny(word, patterns) ? word : ''))]],
  ['filter-out', [2, (patterns = '', text = '') => mapWords(text, (word) => (matchesAny(word, patterns) ? '' : word))]],
  ['addprefix', [2, (prefix = '', text = '') => mapWords(text, (word) => `${prefix}${word}`)]],
  ['addsuffix', [2, (suffix = '', text = '') => mapWords(text, (word) => `${word}${suffix}`)]],
  ['dir', [1, (text = '') => mapWords(text, (word) => /^.*\//s.exec(word)?.[0] ?? './')]],
  ['notdir', [1, (text = '') => mapWords(text, (word) => word.replace(/^.*\//s, ''))]],
  ['basename', [1, (text = '') => mapWords(text, (word) => word.replace(/\.[^./]*$/, ''))]],
  ['suffix', [1, (text = '') => mapWords(text, (word) => /\.[^./]*$/.exec(word)?.[0] ?? '')]],
]);

/** The result of a function of make; undefined for an unknown one. */
export function callFunction(name: string, args: string, expand: (text: string) => string): string | undefined {
  const [count, call] = FUNCTIONS.get(name) ?? [];
  if (count === undefined || call === undefined) return undefined;
  const given = splitArguments(args);
  // The last argument may contain commas.
  const last = given.slice(count - 1).join(',');
  return call(...[...given.slice(0, count - 1), last].map(expand));
}

/** The arguments of a function, without the commas inside brackets. */
function splitArguments(text: string): string[] {
  const found = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(' || character === '{') depth += 1;
    else if (character === ')' || character === '}') depth -= 1;
    if (character === ',' && depth === 0) found.push('');
    else found.push(`${found.pop() ?? ''}${character}`);
  }
  return found;
}

/** The text with `FROM=TO` of `$(NAME:FROM=TO)` applied to the end of each word, or to all of it with a `%`. */
export function replacedEnds(text: string, from: string, to: string): string {
  return from.includes('%') ? substitutedWords(text, from, to) : substitutedWords(text, `%${from}`, `%${to}`);
}

/** The part of a name that the `%` of a pattern stands for; undefined if the name does not match. */
export function stemOf(name: string, pattern: string): string | undefined {
  const [before = '', after] = pattern.split('%', 2);
  if (after === undefined) return name === pattern ? '' : undefined;
  const isLong = name.length >= before.length + after.length;
  return isLong && name.startsWith(before) && name.endsWith(after)
    ? name.slice(before.length, name.length - after.length)
    : undefined;
}

/** Replaces each word of a text that matches a pattern. */
function substitutedWords(text: string, pattern: string, replacement: string): string {
  return mapWords(text, (word) => {
    const stem = stemOf(word, pattern);
    if (stem === undefined) return word;
    return pattern.includes('%') ? replacement.replace('%', () => stem) : replacement;
  });
}

function matchesAny(word: string, patterns: string): boolean {
  return words(patterns).some((pattern) => stemOf(word, pattern) !== undefined);
}

function mapWords(text: string, change: (word: string) => string): string {
  return words(text)
    .map(change)
    .filter((word) => word !== '')
    .join(' ');
}
