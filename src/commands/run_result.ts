import type { HookOutcome, Outcome } from '../backend/execute.ts';
import type { Signal } from '../backend/port.ts';
import type { HookOp, Plan } from '../ir/plan.ts';

/** The document of a run. */
export interface RunResult {
  readonly workflow: string;
  readonly before_all?: HookResult;
  readonly steps: Iterable<StepResult>;
  readonly after_all?: HookResult;
  readonly error?: HookResult;
  readonly success: boolean;
  readonly interrupted?: Signal;
}

export interface HookResult {
  readonly command: string;
  readonly exit_code: number;
}

export interface StepResult extends HookResult {
  readonly name: string;
}

/** What a run came to, as the document says it. The entries of steps are made one at a time. */
export function runResult(plan: Plan, outcome: Outcome): RunResult {
  const { success, interrupted } = outcome;
  return {
    workflow: plan.workflow,
    ...hook('before_all', outcome.hooks),
    steps: stepResults(outcome),
    ...hook('after_all', outcome.hooks),
    ...hook('error', outcome.hooks),
    success,
    ...(interrupted === undefined ? {} : { interrupted }),
  };
}

function* stepResults({ steps }: Outcome): Generator<StepResult> {
  for (const { op, exitCode } of steps) {
    yield { name: op.name, command: op.command, exit_code: exitCode };
  }
}

function hook(
  name: HookOp['hook'],
  outcomes: readonly HookOutcome[],
): Partial<Record<HookOp['hook'], HookResult>> {
  const outcome = outcomes.find(({ op }) => op.hook === name);
  if (outcome === undefined) return {};
  return { [name]: { command: outcome.op.command, exit_code: outcome.exitCode } };
}
