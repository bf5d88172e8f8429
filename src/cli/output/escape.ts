import { HIDDEN, unicodeEscape } from '../../base/hidden_characters.ts';

/** `HIDDEN`, and the log commands of CI services: `##[` anywhere, `::` at the beginning. */
const UNSAFE = String.raw`${HIDDEN}|(?<=##)\[|:(?=:)`;

// Compiled on use: V8 reads the tables of Unicode properties when it parses them.
let unsafe: RegExp | undefined;

/** One line of text, with unsafe characters as escapes. */
export function escapeForTerminal(line: string): string {
  if (!mayBeUnsafe(line) && !line.includes('\n')) return line;
  return escapeUnsafe(line, (character) => {
    if (character === '\t') return ' ';
    return character === '\n' ? String.raw`\n` : unicodeEscape(character);
  });
}

/** Lines of text escaped like `escapeForTerminal`, each with a prefix and a line break. */
export function escapeLines(lines: readonly string[], prefix: string): string {
  const text = lines.join('\n');
  const isSafe = !mayBeUnsafe(text) && lines.every((line) => !line.includes('\n'));
  return (isSafe ? lines : lines.map(escapeForTerminal)).map((line) => `${prefix}${line}\n`).join('');
}

/** Escapes the unsafe characters of JSON text. Its strings have most control characters escaped already. */
export function escapeJson(json: string): string {
  if (!mayBeUnsafe(json)) return json;
  return escapeUnsafe(json, (character) => (character === '\n' ? character : unicodeEscape(character)));
}

/** Whether a text contains anything that may need an escape. Three searches are faster than a combined one. */
function mayBeUnsafe(text: string): boolean {
  return /[^\n -~]/.test(text) || text.includes('::') || text.includes('##[');
}

/** Escapes each unsafe character of a text. Takes linear time, because it finds the blanks before `::` only once. */
function escapeUnsafe(text: string, escape: (character: string) => string): string {
  const beginning = text.search(/\S/);
  unsafe ??= new RegExp(UNSAFE, 'gu');
  return text.replace(unsafe, (character, at: number) =>
    character === ':' && at !== beginning ? ':' : escape(character),
  );
}
