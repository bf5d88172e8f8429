import { distance } from 'fastest-levenshtein';

/** Limits of the search, so that a suggestion never costs noticeable time. */
const MAX_LENGTH = 64;
const MAX_CANDIDATES = 2000;

/**
 * The candidate nearest to `word`; undefined if none is close. Up to a third of the letters may differ, but at least
 * two in a word of four or more letters, and one in a shorter word. Two swapped letters count as two. Failing that, a
 * candidate that ends with the word is close: `IOS_APP_ID` for `APP_ID`.
 */
function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let least = Math.min(word.length, Math.max(word.length < 4 ? 1 : 2, Math.floor(word.length / 3)) + 1);
  let longer: string | undefined;
  let seen = 0;
  for (const candidate of candidates) {
    if ((seen += 1) > MAX_CANDIDATES) break;
    if (longer === undefined && candidate.endsWith(`_${word}`)) longer = candidate;
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const changes = distance(word.toLowerCase(), candidate.toLowerCase());
    if (changes < least) [best, least] = [candidate, changes];
  }
  return best ?? longer;
}

/** The end of a message about an unknown word: a suggestion, or `otherwise` if there is none. */
export function didYouMean(word: string, candidates: Iterable<string>, otherwise = ''): string {
  const suggestion = nearest(word, candidates);
  return suggestion === undefined ? otherwise : `; did you mean '${suggestion}'?`;
}
