import { conditionParts } from '../ir/condition_parts.ts';
import { certainCommands } from '../ir/guarded_ops.ts';
import { at, type Plan, type RunOp } from '../ir/plan.ts';
import type { Item } from './plan_tree.ts';
import type { ScopeWords } from './scope_words.ts';
import { unreachable } from '../base/unreachable.ts';
import { quote } from './words.ts';

/** The argument for the question of a step. A question that is asked before its group starts has a number. */
export function questionWord({ options: { confirm } }: RunOp, number: number | null, shown: Shown): readonly string[] {
  if (confirm === null) return [];
  return [quote(`confirm:${number ?? ''}=${shown(confirm)}`)];
}

type Shown = (text: string) => string;

/** Lines that ask the questions of a group's members before it starts, except for steps that a variable skips. */
export function groupQuestions(
  items: readonly Item[],
  frame: number,
  scope: ScopeWords,
  shown: Shown,
): readonly string[] {
  return items.flatMap((item): readonly string[] => {
    switch (item.kind) {
      case 'step': {
        const { confirm } = item.op.options;
        return confirm === null ? [] : [`wf_ask_early ${item.index} ${quote(shown(confirm))}`];
      }
      case 'condition': {
        const lines = groupQuestions(item.body, frame, scope, shown);
        if (lines.length === 0) return [];
        const { variable } = conditionParts(item.op.test);
        if (variable === undefined) return lines;
        const words = ['wf_is_unset', variable, '--', ...scope.variables(scope.between(frame, item.op.frame))];
        return [`if ! ${words.join(' ')}; then`, ...lines.map((line) => `  ${line}`), 'fi'];
      }
      case 'call':
        return groupQuestions(item.body, frame, scope, shown);
      case 'group':
        return item.members.flatMap(({ body }) => groupQuestions(body, frame, scope, shown));
      default:
        return unreachable(item);
    }
  });
}

/** Lines that check that the questions of steps without a condition can be answered. */
export function questionChecks(plan: Plan, shown: Shown): readonly string[] {
  return [...certainCommands(plan)].flatMap(([, op]) => {
    if (op.kind !== 'run' || op.options.confirm === null) return [];
    const { workflow } = at(plan.calls, op.call);
    const message = `step '${op.name}' of workflow '${workflow}' asks: ${op.options.confirm}`;
    return [`wf_check_questions ${quote(shown(message))}`];
  });
}
