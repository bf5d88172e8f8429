import type { Plan } from './plan.ts';
import { testText } from './preview.ts';

/**
 * Every name that a plan mentions where it could mean a variable: names set in its scopes, tested by
 * its conditions, and all words of its commands that could be one. Too many rather than too few:
 * it serves to warn about names that nothing mentions.
 */
export function usedVariables(plan: Plan): Set<string> {
  const used = new Set(plan.frames.flatMap(({ vars }) => vars.map(([name]) => name)));
  for (const op of plan.ops) {
    const text = op.kind === 'condition' ? testText(op.test) : op.command;
    for (const [name] of text.matchAll(/[A-Za-z_][A-Za-z0-9_]*/g)) used.add(name);
  }
  return used;
}
