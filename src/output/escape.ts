/**
 * Characters that change or hide the text after them at a terminal: control characters, bidirectional controls
 * (UAX #9), and line and paragraph separators.
 */
const HIDDEN = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;

/** The same, and the commands of CI services in their logs. */
const UNSAFE = new RegExp(String.raw`${HIDDEN.source}|(?<=##)\[|(?<=^\s*):(?=:)`, 'gu');

/** A fast test that passes all unsafe texts, and few others: look-behind is slow. */
const SUSPECT = /[^ -~]|##\[|::/;

/** Whether a terminal shows a text unchanged. */
export function isPlain(text: string): boolean {
  return !HIDDEN.test(text);
}

/** One line of text, with unsafe characters as escapes. */
export function escapeForTerminal(line: string): string {
  if (!SUSPECT.test(line)) return line;
  return line.replace(UNSAFE, (character) => {
    if (character === '\t') return ' ';
    if (character === '\n') return String.raw`\n`;
    return unicodeEscape(character);
  });
}

/** JSON text, whose strings escape most control characters already, with the other unsafe characters as escapes. */
export function escapeJson(json: string): string {
  if (!SUSPECT.test(json)) return json;
  return json.replace(UNSAFE, (character) => (character === '\n' ? character : unicodeEscape(character)));
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
