import { ruleMessage } from '../../frontend/schema/rules.ts';
import { brokenRule, VariableName } from '../../frontend/schema/schema.ts';
import type { Variable } from '../../ir/plan.ts';
import { createRedactor, HIDDEN } from './redact.ts';

/** Parameters, and an error for each invalid word. Errors contain no values. */
export type Params = Readonly<{ params: readonly Variable[]; problems: readonly string[] }>;

/** Whether a word has the form KEY:VALUE or KEY=VALUE. */
export function isParam(word: string): boolean {
  return /[:=]/.test(word);
}

/** Whether a word may be part of a parameter split by blanks, and may be shown in a message. */
function isShown(word: string, redact: (word: string) => string): boolean {
  return word !== '' && !isParam(word) && redact(word) === `'${word}'`;
}

/**
 * Parses `KEY:VALUE` and `KEY=VALUE` words. The first `:` or `=` separates key and value, and the last value of a key
 * wins. `line` is the whole command line, for `createRedactor`.
 */
export function readParams(words: readonly string[], line: readonly string[]): Params {
  const redact = createRedactor(line);
  const params = new Map<string, string>();
  const problems: string[] = [];
  let isJoined = false;
  for (const [index, word] of words.entries()) {
    // The second half of a split parameter, which the previous error has already covered.
    if (isJoined) {
      isJoined = false;
      continue;
    }
    const split = word.search(/[:=]/);
    const key = word.slice(0, Math.max(0, split));
    const rule = brokenRule(VariableName, key);
    if (split === -1) {
      const pair = [word, words[index + 1] ?? ''];
      isJoined = brokenRule(VariableName, word) === undefined && pair.every((each) => isShown(each, redact));
      const hint = isJoined ? `; did you mean '${pair.join(':')}'?` : '';
      problems.push(`parameter ${index + 1} (${redact(word)}) is not of the form KEY:VALUE${hint}`);
    } else if (rule === undefined) params.set(key, word.slice(split + 1));
    else {
      const quoted = redact(word) === HIDDEN ? HIDDEN : `'${key}'`;
      problems.push(`the key of parameter ${index + 1} (${quoted}) ${ruleMessage(rule, '')}`);
    }
  }
  return { params: [...params], problems };
}
