import { isSecret } from '../ir/mask.ts';

/**
 * A word of the command line as a usage error may repeat it: without anything after `=` or `:`,
 * and not at all where it could itself be a secret that slipped into the wrong place, such as the
 * one after the name of a secret.
 */
export function redactWord(word: string, before = ''): string {
  const [name = ''] = word.split(/[:=]/);
  const couldBeSecret = isSecret(`${before} ${name}`) || name.length >= 32 || isRandomLooking(name);
  return couldBeSecret ? "'***'" : `'${name}${name === word ? '' : '…'}'`;
}

/** Keys and tokens mix letters and digits without a separator; names of things seldom do. */
function isRandomLooking(word: string): boolean {
  return word.split(/[^A-Za-z0-9]/).some((part) => part.length >= 10 && /[A-Za-z]/.test(part) && /\d/.test(part));
}
