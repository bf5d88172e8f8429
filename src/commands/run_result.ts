import type { Outcome } from '../backend/execute.ts';
import type { HookOp, Plan } from '../ir/plan.ts';

/** The document of a run: what it came to. The entries of steps are made one at a time. */
export function runResult(plan: Plan, outcome: Outcome): { steps: Iterable<object>; success: boolean } {
  const hook = (name: HookOp['hook']): object | undefined => {
    const ran = outcome.hooks.find(({ op }) => op.hook === name);
    return ran && { command: ran.op.command, exit_code: ran.exitCode };
  };
  const document = {
    workflow: plan.workflow,
    before_all: hook('before_all'),
    steps: stepEntries(outcome),
    after_all: hook('after_all'),
    error: hook('error'),
    success: outcome.success,
    interrupted: outcome.interrupted,
  };
  return document;
}

function* stepEntries({ steps }: Outcome): Generator<object> {
  for (const { op, exitCode } of steps) {
    yield { name: op.name, command: op.command, exit_code: exitCode };
  }
}
