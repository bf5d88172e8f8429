import { distance } from 'fastest-levenshtein';
import { hasSameLetters } from './resembles.ts';

/** Limits of the search, so that a suggestion never costs noticeable time. */
const MAX_LENGTH = 64;
const MAX_CANDIDATES = 2000;

/** A typed word, a known one in its place, and the text to suggest. */
export type Candidate = readonly [word: string, known: string, text: string];

/**
 * The texts of the candidates nearest to their words, at most `count`, the nearest first. Up to a third of the letters
 * may differ, but at least two in a word of four or more letters, and one in a shorter word. The same
 * letters in another order count as one, and a word is not near to itself. Failing that, a candidate that ends with the word is close: `IOS_APP_ID` for `APP_ID`.
 */
export function nearest(candidates: Iterable<Candidate>, count: number): readonly string[] {
  const close: (readonly [text: string, changes: number])[] = [];
  let longer: string | undefined;
  let seen = 0;
  for (const [word, known, text] of candidates) {
    if ((seen += 1) > MAX_CANDIDATES) break;
    if (word.length > MAX_LENGTH || text === word) continue;
    if (longer === undefined && known.endsWith(`_${word}`)) longer = text;
    const limit = Math.min(word.length, Math.max(word.length < 4 ? 1 : 2, Math.floor(word.length / 3)) + 1);
    if (Math.abs(known.length - word.length) >= limit) continue;
    const isSame = word.toLowerCase() !== known.toLowerCase() && hasSameLetters(word, known);
    const changes = isSame ? 1 : distance(word.toLowerCase(), known.toLowerCase());
    if (changes < limit) close.push([text, changes]);
  }
  const sorted = close.toSorted(([, one], [, other]) => one - other).map(([text]) => text);
  return sorted.length > 0 || longer === undefined ? [...new Set(sorted)].slice(0, count) : [longer];
}

/** The end of a message about an unknown word: a suggestion, or `otherwise` if there is none. */
export function didYouMean(word: string, candidates: Iterable<string>, otherwise = ''): string {
  return suggestionText(nearest(pairs(word, candidates), 1), otherwise);
}

/** The end of a message: `; did you mean 'a' or 'b'?`, or `otherwise` without suggestions. */
export function suggestionText(suggestions: readonly string[], otherwise = ''): string {
  if (suggestions.length === 0) return otherwise;
  const quoted = suggestions.map((text) => `'${text}'`);
  return `; did you mean ${[quoted.slice(0, -1).join(', '), quoted.at(-1)].filter(Boolean).join(' or ')}?`;
}

function* pairs(word: string, candidates: Iterable<string>): Generator<Candidate> {
  for (const candidate of candidates) yield [word, candidate, candidate];
}
