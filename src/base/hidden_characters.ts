/** A sign that U+200D joins with another into an emoji, and that U+FE0E and U+FE0F change (UTS #51). */
const EMOJI = String.raw`[\p{ExtPict}\p{EMod}]`;

/**
 * Characters that change, hide or imitate the text around them, as the source of a pattern: control characters, line and
 * paragraph separators, annotations, and all that have no sign of their own (`Default_Ignorable_Code_Point`), such as
 * bidirectional controls (UAX #9), joiners and tags, except in emoji and keycaps.
 */
export const HIDDEN = [
  String.raw`[\p{Cc}\u2028\u2029\uFFF9-\uFFFB]|(?![\u200D\uFE0E\uFE0F])\p{DI}`,
  String.raw`(?<!${EMOJI}\uFE0F?)\u200D|\u200D(?!${EMOJI})`,
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
