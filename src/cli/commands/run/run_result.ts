import { copyField } from '../../../ir/steps/describe_op.ts';
import { isAllowed } from '../../../backend/command_runner.ts';
import type { Outcome, StepResult } from '../../../backend/run_event.ts';
import { isWorkflowHook, type HookOp, type Plan } from '../../../ir/plan.ts';
import { isInBackground } from '../../../ir/ops.ts';
import { describeExit } from '../../reporters/failure_text.ts';
import { MASK, secretOutputs } from '../../../ir/secret_names.ts';
import { createHookEntries } from '../../../ir/views/hook_entries.ts';

/** The result document of a run. The entries of steps are created one at a time. */
export function runResult(plan: Plan, outcome: Outcome): { steps: Iterable<object>; success: boolean } {
  const hook = (name: HookOp['hook']): object | undefined => {
    const ran = outcome.hooks.find(({ op }) => op.hook === name && op.call === undefined);
    return ran && { command: ran.op.command, exit_code: ran.exitCode };
  };
  const document = {
    workflow: plan.workflow,
    before_all: hook('before_all'),
    steps: stepEntries(plan, outcome),
    after_all: hook('after_all'),
    error: hook('error'),
    finally: hook('finally'),
    hooks: hookEntries(plan, outcome),
    success: outcome.success,
    interrupted: outcome.interrupted,
  };
  return document;
}

/** The hooks of workflows that ran; undefined if there are none. */
function hookEntries(plan: Plan, { hooks }: Outcome): readonly object[] | undefined {
  const own = hooks.flatMap(({ op, exitCode }) => (isWorkflowHook(op) ? { op, exitCode } : []));
  if (own.length === 0) return undefined;
  const entryOf = createHookEntries(plan);
  return own.map(({ op, exitCode }) => entryOf(op, { exit_code: exitCode }));
}

function* stepEntries(plan: Plan, { steps }: Outcome): Generator<object> {
  const isSecretOutput = secretOutputs(plan);
  for (const step of steps) {
    const { op, exitCode } = step;
    const entry = { name: op.name, ...copyField(plan, op.call), command: op.command, exit_code: exitCode };
    yield { ...entry, ...optionalFields(step, isSecretOutput) };
  }
}

/** The optional fields of an entry, which depend on the fields of the step. */
function optionalFields(
  { op, exit, attempts, kept }: StepResult,
  isSecretOutput: ReturnType<typeof secretOutputs>,
): object {
  const read = exit.kind === 'exited' ? exit.outputs : undefined;
  // No prototype, so that `__proto__` is an ordinary name.
  const outputs: Record<string, string> = Object.create(null);
  const given = read?.ok === true ? read : undefined;
  for (const [name, value] of given?.values ?? []) {
    const isHidden = given?.secret?.has(name) === true || isSecretOutput(op, name);
    outputs[name] = value === null || isHidden ? MASK : value;
  }
  return {
    outputs: given && outputs,
    attempts: op.options.retry === null || attempts === 0 ? undefined : attempts,
    allowed_failure: isAllowed(exit, op.options) || undefined,
    background: isInBackground(op) || undefined,
    error: problemOf({ op, exit, attempts }),
    kept,
  };
}

/**
 * The reason for a failure that the exit code does not show: missing outputs, a reference without a value, or the
 * cancellation of its group.
 */
function problemOf({ op, exit, attempts }: Pick<StepResult, 'op' | 'exit' | 'attempts'>): string | undefined {
  if (exit.kind === 'not started' && (attempts === 0 || isInBackground(op))) return exit.reason;
  if (exit.kind === 'cancelled')
    return `it was cancelled because ${exit.because ?? 'another member of its group failed'}`;
  if (exit.kind === 'ended early' || (exit.kind === 'timed out' && exit.waited !== undefined))
    return `it ${describeExit(exit)}`;
  return exit.kind === 'exited' && exit.outputs?.ok === false ? exit.outputs.problems.join('; ') : undefined;
}
