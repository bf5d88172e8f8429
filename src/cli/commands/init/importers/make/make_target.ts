import { basename, dirname } from 'node:path';
import { shellWord } from '../../../../../base/shell_word.ts';
import { sourceDirectory } from '../../import_kind.ts';
import { LeftOut, type ImportedWorkflow } from '../../imported.ts';
import type { MakeRule } from './makefile_lines.ts';

/** A target with the parts of all its rules. `reason`: why it is left out. */
export type Target = {
  line: number;
  description: string | undefined;
  needed: string[];
  orderOnly: string[];
  recipe: readonly string[];
  reason: string | undefined;
};

type RuleParts = Pick<Target, 'needed' | 'orderOnly' | 'recipe'>;

/** A target with another rule. The prerequisites of a rule with a recipe come first. */
export function withRule(known: RuleParts, added: RuleParts): RuleParts {
  const [first, second] = added.recipe.length > 0 ? [added, known] : [known, added];
  return {
    needed: [...first.needed, ...second.needed],
    orderOnly: [...first.orderOnly, ...second.orderOnly],
    recipe: first.recipe,
  };
}

/** A workflow that calls make. */
export function callOfMake(path: string, name: string, target: Target | undefined): ImportedWorkflow {
  const flag = /^(?:gnu)?makefile$/i.test(basename(path)) ? '' : `-f ${shellWord(basename(path))} `;
  const steps = [{ run: `make ${flag}${shellWord(name)} "$@"` }];
  return { name, description: target?.description, dir: sourceDirectory(dirname(path)), steps };
}

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
