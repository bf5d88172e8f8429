import { exitCode, type Event } from '../backend/execute.ts';
import { at, type Op, type Plan } from '../ir/plan.ts';

/** The line that says a command failed; undefined for every other event. */
export function failureLine(plan: Plan, event: Event): string | undefined {
  if (event.kind !== 'ended') return undefined;
  const { exit, op } = event;
  if (exit.kind === 'not started') {
    return `cli: ${subject(plan, op)} could not be started: ${exit.reason}`;
  }
  if (op.kind === 'condition' || exit.code === 0) return undefined;
  return `cli: ${subject(plan, op)} failed with exit code ${exitCode(exit)}`;
}

function subject(plan: Plan, op: Op): string {
  if (op.kind === 'hook') return `the hook '${op.hook}'`;
  const { workflow } = at(plan.calls, op.call);
  return op.kind === 'run'
    ? `step '${op.name}' of workflow '${workflow}'`
    : `the condition of step ${op.step} of workflow '${workflow}'`;
}
