import { ruleMessage } from '../frontend/schema/rules.ts';
import { brokenRule, VariableName } from '../frontend/schema/schema.ts';
import type { Variable } from '../ir/plan.ts';
import { redactWord } from './redact.ts';

/** The parameters, and an error for each word that is not one. Errors contain no values. */
export type Params = Readonly<{ params: readonly Variable[]; problems: readonly string[] }>;

/** Whether a word has the form KEY:VALUE or KEY=VALUE. */
export function isParam(word: string): boolean {
  return /[:=]/.test(word);
}

/** Reads `KEY:VALUE` and `KEY=VALUE` words. The first sign splits; the last value of a key wins. */
export function readParams(words: readonly string[]): Params {
  const params = new Map<string, string>();
  const problems: string[] = [];
  for (const [index, word] of words.entries()) {
    const split = word.search(/[:=]/);
    const key = word.slice(0, Math.max(0, split));
    const rule = brokenRule(VariableName, key);
    if (split === -1) {
      problems.push(`parameter ${index + 1} (${redactWord(word, words[index - 1])}) is not of the form KEY:VALUE`);
    } else if (rule === undefined) params.set(key, word.slice(split + 1));
    else problems.push(`the key of parameter ${index + 1} (${redactWord(key)}) ${ruleMessage(rule, '')}`);
  }
  return { params: [...params], problems };
}
