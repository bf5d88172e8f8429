import { conditionParts } from '../ir/ops.ts';
import { certainCommands } from '../ir/guarded_ops.ts';
import { at, type Plan, type RunOp } from '../ir/plan.ts';
import type { Item } from './plan_tree.ts';
import type { ScopeWords } from './scope_words.ts';

/** The argument for the question of a step. A question that is asked before its group starts has a number. */
export function questionWord(op: RunOp, number: number | null, scope: ScopeWords, shown: Shown): readonly string[] {
  return op.options.confirm === null ? [] : [scope.question(`confirm:${number ?? ''}=`, op, shown, Infinity)];
}

type Shown = (text: string) => string;

/**
 * Lines that ask the questions of a group's members before it starts, except for steps that a variable skips. Without a
 * terminal, a question behind a condition or a check is refused only when its step runs. The steps of the group begin at
 * the op `pending`.
 */
export function groupQuestions(
  items: readonly Item[],
  frame: number,
  scope: ScopeWords,
  shown: Shown,
  pending: number,
): readonly string[] {
  return items.flatMap((item): readonly string[] => {
    switch (item.kind) {
      case 'step': {
        if (item.op.options.confirm === null) return [];
        return [`wf_ask_early ${item.index} ${scope.question('', item.op, shown, pending)}`];
      }
      case 'check':
      case 'condition': {
        const lines = groupQuestions(item.body, frame, scope, shown, pending);
        if (lines.length === 0) return [];
        if (item.kind === 'check') return ['if wf_can_ask; then', ...lines.map((line) => `  ${line}`), 'fi'];
        const { variable } = conditionParts(item.op.test);
        const words = variable && [variable, '--', ...scope.variables(scope.between(frame, item.op.frame))].join(' ');
        const isSet = words === undefined ? '' : ` && ! wf_is_unset ${words}`;
        return [`if wf_can_ask${isSet}; then`, ...lines.map((line) => `  ${line}`), 'fi'];
      }
      case 'call':
        return groupQuestions(item.body, frame, scope, shown, pending);
      case 'group':
        return item.members.flatMap(({ body }) => groupQuestions(body, frame, scope, shown, pending));
    }
  });
}

/** Lines that check that the questions of steps without a condition can be answered. */
export function questionChecks(plan: Plan, scope: ScopeWords, shown: Shown): readonly string[] {
  return [...certainCommands(plan)].flatMap(([, op]) => {
    if (op.kind !== 'run' || op.options.confirm === null) return [];
    const { workflow } = at(plan.calls, op.call);
    const place = shown(`step '${op.name}' of workflow '${workflow}' asks: `);
    return [`wf_check_questions ${scope.question(place, op, shown, 0)}`];
  });
}
