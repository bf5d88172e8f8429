import { HIDDEN, unicodeEscape } from '../../../base/hidden_characters.ts';

/**
 * Characters that cannot occur unescaped in HTML and XML text: markup, and hidden characters.
 * XML 1.0 does not allow most control characters and the two noncharacters even escaped.
 */
const SPECIAL = new RegExp(String.raw`${HIDDEN}|[\uFFFE\uFFFF<>&"']`, 'gu');

/** Escapes text for HTML and XML, between tags and in attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(SPECIAL, (sign) => {
    return /[\t\n<>&"']/.test(sign) ? `&#${sign.charCodeAt(0)};` : unicodeEscape(sign);
  });
}
