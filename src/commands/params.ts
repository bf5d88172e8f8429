import { FLAW_WORDS } from '../frontend/message.ts';
import { variableNameFlaw } from '../frontend/schema.ts';
import type { Variable } from '../ir/plan.ts';
import { echo } from './echo.ts';

export type Params =
  | { readonly ok: true; readonly params: readonly Variable[] }
  /** What is wrong with each argument that is not a parameter; no value is ever part of it. */
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads `KEY:VALUE` (or `KEY=VALUE`) arguments: whichever sign comes first splits, the value is
 * taken as it is, and of two values for one key the last counts.
 */
export function readParams(words: readonly string[]): Params {
  const params = new Map<string, string>();
  const problems: string[] = [];
  for (const [index, word] of words.entries()) {
    const split = word.search(/[:=]/);
    if (split === -1) {
      problems.push(`parameter ${index + 1} (${echo(word)}) is not of the form KEY:VALUE`);
      continue;
    }
    const key = word.slice(0, split);
    const flaw = variableNameFlaw(key);
    if (flaw === undefined) params.set(key, word.slice(split + 1));
    else problems.push(`the key of parameter ${index + 1} (${echo(key)}) ${FLAW_WORDS[flaw]}`);
  }
  return problems.length === 0 ? { ok: true, params: [...params] } : { ok: false, problems };
}
