import quote from 'shell-quote/quote.js';
import { dollarQuote, hasHidden } from './hidden_characters.ts';

/** A word of a suggested command, quoted for a shell. shell-quote would also escape the colon of a parameter. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return hasHidden(word) ? dollarQuote(word) : quote([word]);
}
