import type { Op, Plan } from './plan.ts';
import { unreachable } from '../unreachable.ts';

/**
 * Every name that a plan mentions where it could mean a variable: names set in its scopes, tested by
 * its conditions, and all words of its commands that could be one. Too many rather than too few:
 * it serves to warn about names that nothing mentions.
 */
export function usedVariables(plan: Plan): Set<string> {
  const used = new Set<string>();
  for (const { vars } of plan.frames) for (const [name] of vars) used.add(name);
  for (const op of plan.ops) {
    for (const [name] of textOf(op).matchAll(/[A-Za-z_][A-Za-z0-9_]*/g)) used.add(name);
  }
  return used;
}

function textOf(op: Op): string {
  switch (op.kind) {
    case 'hook':
    case 'run':
      return op.command;
    case 'condition':
      return op.test.kind === 'variable' ? op.test.name : op.test.command;
    default:
      return unreachable(op);
  }
}
