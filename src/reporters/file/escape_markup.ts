/**
 * Characters that cannot occur unescaped in HTML and XML text: markup, bidirectional controls, and control characters.
 * XML 1.0 does not allow most control characters and the two noncharacters even escaped.
 */
const SPECIAL = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFFFE\uFFFF<>&"']/gu;

/** Escapes text for HTML and XML, between tags and in attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(SPECIAL, (sign) => {
    const code = sign.charCodeAt(0);
    const isPlain = /[\t\n<>&"']/.test(sign);
    return isPlain ? `&#${code};` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
