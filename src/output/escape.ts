/**
 * Characters that change or hide the text after them at a terminal: control characters, bidirectional controls
 * (UAX #9), and line and paragraph separators.
 */
const HIDDEN = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;

/** The same, and the commands of CI services in their logs: `##[` anywhere, `::` at the beginning. */
const UNSAFE = new RegExp(String.raw`${HIDDEN.source}|(?<=##)\[|:(?=:)`, 'gu');

/** Whether a terminal shows a text unchanged. */
export function isPlain(text: string): boolean {
  return !HIDDEN.test(text);
}

/** One line of text, with unsafe characters as escapes. */
export function escapeForTerminal(line: string): string {
  return escapeUnsafe(line, (character) => {
    if (character === '\t') return ' ';
    return character === '\n' ? String.raw`\n` : unicodeEscape(character);
  });
}

/** JSON text, whose strings escape most control characters already, with the other unsafe characters as escapes. */
export function escapeJson(json: string): string {
  return escapeUnsafe(json, (character) => (character === '\n' ? character : unicodeEscape(character)));
}

/** A text with each unsafe character escaped. Takes linear time: blanks before `::` are looked for once. */
function escapeUnsafe(text: string, escape: (character: string) => string): string {
  const beginning = text.search(/\S/);
  return text.replace(UNSAFE, (character, at: number) =>
    character === ':' && at !== beginning ? ':' : escape(character),
  );
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
