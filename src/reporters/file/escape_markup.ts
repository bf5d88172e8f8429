/**
 * What no text of a page or of an XML document may hold as it is: control characters (most of which XML 1.0 cannot
 * hold at all, nor the last two), what would change how the text around it reads, and what is markup.
 */
const SPECIAL = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFFFE\uFFFF<>&"']/gu;

/** Any text as HTML or XML that shows it, between tags and in attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(SPECIAL, (sign) => {
    const code = sign.charCodeAt(0);
    const isPlain = /[\t\n<>&"']/.test(sign);
    return isPlain ? `&#${code};` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
