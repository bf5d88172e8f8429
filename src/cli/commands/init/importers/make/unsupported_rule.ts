import { LeftOut } from '../../imported.ts';
import type { MakeRule } from './makefile_lines.ts';

const VARIABLE_OF_TARGET = /^(?:(?:export|override|private|unexport)\s+)*[\w.-]+\s*(?:\?|\+|!|:{1,3})?=/;

/** Why the target of a rule is left out; undefined if the rule can be converted. `needed` are its prerequisites. */
export function reasonAgainst(rule: MakeRule, needed: string | LeftOut): string | undefined {
  if (rule.isConditional || rule.hasConditionalLines) return 'its rule depends on a condition';
  if (rule.separator !== ':') return `it has a rule with '${rule.separator}'`;
  if (VARIABLE_OF_TARGET.test(rule.prerequisites)) return 'it sets variables for itself';
  if (needed instanceof LeftOut) return needed.message;
  if (needed.includes(':')) return 'it has a static pattern rule';
  return /[%*?[$]/.test(needed) ? 'its prerequisites are a pattern' : undefined;
}
