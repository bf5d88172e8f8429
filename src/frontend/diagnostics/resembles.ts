/** Whether two words have the same letters in another order. */
export function hasSameLetters(one: string, other: string): boolean {
  return one.length === other.length && lettersOf(one) === lettersOf(other);
}

/** Whether a word is probably another one with a typing error: a quick test without suggestions. */
export function resembles(word: string, other: string): boolean {
  const [short, long] = word.length < other.length ? [word, other] : [other, word];
  if (short.length > 3 && long.includes(short)) return true;
  return long.length - short.length <= 1 && isWithin(lettersOf(short), lettersOf(long));
}

function lettersOf(word: string): string {
  return Array.from(word.toLowerCase()).toSorted().join('');
}

/** Whether all letters but one are in a longer text in the same order. */
function isWithin(short: string, long: string): boolean {
  let at = -1;
  let missing = 0;
  for (const letter of short) {
    const next = long.indexOf(letter, at + 1);
    if (next === -1) missing += 1;
    else at = next;
  }
  return missing <= (short.length < 4 || short.length < long.length ? 0 : 1);
}
