import { basename, dirname } from 'node:path';
import { shellWord } from '../../../../../base/shell_word.ts';
import { sourceDirectory } from '../../import_kind.ts';
import type { ImportedWorkflow } from '../../imported.ts';

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
