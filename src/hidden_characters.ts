/** A sign that U+200D joins with another into an emoji, and that U+FE0E and U+FE0F change (UTS #51). */
const EMOJI = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}]`;

/**
 * Characters that change, hide or imitate the text around them, as the source of a pattern: control characters,
 * bidirectional controls (UAX #9), line and paragraph separators, tags, and all others without a sign of their own
 * (`Default_Ignorable_Code_Point`), except in emoji and keycaps.
 */
export const HIDDEN = [
  String.raw`[\p{Cc}\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200C\u200E\u200F\u2028-\u202E]`,
  String.raw`[\u2060-\u206F\u3164\uFE00-\uFE0D\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}]`,
  String.raw`[\u{E0000}-\u{E0FFF}]`,
  String.raw`(?<!${EMOJI}\uFE0F?)\u200D`,
  String.raw`\u200D(?!${EMOJI})`,
  String.raw`(?<!${EMOJI}|[#*\d](?=[\uFE0E\uFE0F]\u20E3))[\uFE0E\uFE0F]`,
].join('|');

// Compiled on use: V8 reads the tables of Unicode properties when it parses them.
let hidden: RegExp | undefined;

/** Whether a text contains a hidden character. */
export function hasHidden(text: string): boolean {
  hidden ??= new RegExp(HIDDEN, 'u');
  return !/^[ -~]*$/.test(text) && hidden.test(text);
}

/** A text with its hidden characters as escapes, except `kept` ones. */
export function escapeHidden(text: string, kept = '\t'): string {
  if (!hasHidden(text)) return text;
  return text.replace(new RegExp(HIDDEN, 'gu'), (found) => (kept.includes(found) ? found : unicodeEscape(found)));
}

/** The escapes of a character in JSON. */
export function unicodeEscape(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}

/** A text as a `$'…'` word of bash, with its hidden characters in octal, except `kept` ones: `\u` depends on the locale. */
export function dollarQuote(text: string, kept = ''): string {
  return `$'${octalHidden(text.replaceAll(/[\\']/g, String.raw`\$&`), (octal) => octal, kept)}'`;
}

/** A text whose hidden characters, except `kept` ones, are replaced by a text made from their bytes in octal. */
export function octalHidden(text: string, replace: (octal: string) => string, kept: string): string {
  return text.replace(new RegExp(HIDDEN, 'gu'), (found) =>
    kept.includes(found)
      ? found
      : replace(Array.from(Buffer.from(found), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')),
  );
}
