import { isSecret } from '../ir/mask.ts';

/**
 * A word of the command line, quoted for a usage error: only the part before `=` or `:`, and `***` if that could be a
 * secret, such as the word after a secret name.
 */
export function redactWord(word: string, before = ''): string {
  const [name = ''] = word.split(/[:=]/);
  const couldBeSecret = isSecret(`${before} ${name}`) || name.length >= 32 || isRandomLooking(name);
  return couldBeSecret ? "'***'" : `'${name}${name === word ? '' : '…'}'`;
}

/** Keys and tokens mix letters and digits without a separator; other names seldom do. */
function isRandomLooking(word: string): boolean {
  return word.split(/[^A-Za-z0-9]/).some((part) => part.length >= 10 && /[A-Za-z]/.test(part) && /\d/.test(part));
}
