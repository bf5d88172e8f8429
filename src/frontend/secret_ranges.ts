import type { Range } from './diagnostic.ts';

/** A string (perhaps not closed), a bare word, or a punctuation mark; what JSON does not know too. */
const TOKEN = /"(?:[^"\\\r\n]|\\.)*"?|[^\s",:{}[\]]+|[,{}[\]]/g;

/**
 * Where values of secret-named keys stand in a text that may not be JSON at all.
 *
 * Works on tokens, not on a tree, because source lines are drawn for broken files too: everything
 * from a secret name to the end of its entry is secret.
 */
export function secretRanges(text: string, isSecret: (name: string) => boolean): Range[] {
  if (!isSecret(text)) return [];
  const ranges: Range[] = [];
  /** How deep inside a secret entry's brackets we are; undefined outside of one. */
  let depth: number | undefined;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (depth === undefined) {
      if (isSecret(token)) depth = 0;
    } else if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth = depth <= 1 ? undefined : depth - 1;
    else if (token === ',') depth = depth === 0 ? undefined : depth;
    else ranges.push({ start: index, end: index + token.length });
  }
  return ranges;
}
