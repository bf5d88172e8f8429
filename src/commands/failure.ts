import type { Event } from '../backend/execute.ts';
import { at, type Op, type Plan } from '../ir/plan.ts';

/** The line that says a command failed; undefined for every other event. */
export function failureLine(plan: Plan, event: Event): string | undefined {
  if (event.kind !== 'ended') return undefined;
  const { op, exit } = event;
  if (exit.kind === 'not started') {
    return `cli: ${subject(plan, op)} could not be started: ${exit.reason}`;
  }
  if (op.kind === 'condition' || exit.code === 0) return undefined;
  return `cli: ${subject(plan, op)} failed with exit code ${exit.code}`;
}

/** An op as a person would call it. */
export function subject(plan: Plan, op: Op): string {
  if (op.kind === 'hook') return `hook '${op.hook}'`;
  const what = op.kind === 'run' ? `step '${op.name}'` : `the condition of step ${op.step}`;
  return `${what} of workflow '${at(plan.calls, op.call).workflow}'`;
}
