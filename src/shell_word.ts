import quote from 'shell-quote/quote.js';

/** A word of a suggested command, quoted for a shell. shell-quote would also escape the colon of a parameter. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quote([word]);
}
