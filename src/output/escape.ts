/**
 * Characters that would change how a terminal shows what follows, or hide it: control characters,
 * the bidirectional controls of Unicode (UAX #9), and its line and paragraph separators.
 */
const HIDDEN = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;

/** The same, and what the log of a CI service would obey. */
const UNSAFE = new RegExp(String.raw`${HIDDEN.source}|(?<=##)\[|(?<=^\s*):(?=:)`, 'gu');

/** What all that is unsafe has, and little else: looked for first, because looking behind is slow. */
const SUSPECT = /[^ -~]|##\[|::/;

/** Whether a text shows at a terminal as what it is. */
export function isPlain(text: string): boolean {
  return !HIDDEN.test(text);
}

/** One line of text, with what a terminal would obey written out as escapes. */
export function escapeForTerminal(line: string): string {
  if (!SUSPECT.test(line)) return line;
  return line.replace(UNSAFE, (character) => {
    if (character === '\t') return ' ';
    if (character === '\n') return String.raw`\n`;
    return unicodeEscape(character);
  });
}

/** JSON text (which has escaped most control characters already), safe to show at a terminal. */
export function escapeJson(json: string): string {
  if (!SUSPECT.test(json)) return json;
  return json.replace(UNSAFE, (character) => (character === '\n' ? character : unicodeEscape(character)));
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
