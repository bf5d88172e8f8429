import { distance } from 'fastest-levenshtein';

/** Longer words and larger lists are not searched: a suggestion must never cost noticeable time. */
const MAX_LENGTH = 64;
const MAX_CANDIDATES = 2000;

/**
 * The candidate that the reader most likely meant by `word`, or undefined if none is close: a third
 * of the letters may differ, two in any word of four (two swapped letters count as two), else one.
 */
function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let least = Math.min(word.length, Math.max(word.length < 4 ? 1 : 2, Math.floor(word.length / 3)) + 1);
  let seen = 0;
  for (const candidate of candidates) {
    if ((seen += 1) > MAX_CANDIDATES) break;
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const changes = distance(word.toLowerCase(), candidate.toLowerCase());
    if (changes < least) [best, least] = [candidate, changes];
  }
  return best;
}

/** The end of a sentence about a word nobody knows: a suggestion, or `otherwise` if there is none. */
export function didYouMean(word: string, candidates: Iterable<string>, otherwise = ''): string {
  const suggestion = nearest(word, candidates);
  return suggestion === undefined ? otherwise : `; did you mean '${suggestion}'?`;
}
