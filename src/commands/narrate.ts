import type { Event } from '../backend/execute.ts';
import { settings } from '../ir/environment.ts';
import { at, type Op, type Plan } from '../ir/plan.ts';
import { unreachable } from '../unreachable.ts';

/**
 * Tells people what happens in a run: gives the lines for each event. Failures always; with `debug`
 * also what each op gets (names of variables, no values), how it ended and how long it took.
 */
export function narrator(plan: Plan, debug: boolean): (event: Event) => string[] {
  let startedAt = 0;
  return (event) => {
    const name = subject(plan, event.op);
    const details = (words: string): string[] => (debug ? [`debug: ${name} ${words}`] : []);
    switch (event.kind) {
      case 'started':
        startedAt = performance.now();
        return details(`gets ${sources(plan, event.op)}`);
      case 'skipped':
        return details(`does not hold; on to op ${event.op.otherwise}`);
      case 'ended': {
        const { exit, op } = event;
        const took = `after ${Math.round(performance.now() - startedAt)} ms`;
        if (exit.kind === 'not started') return [`cli: ${name} could not be started: ${exit.reason}`];
        const ended = details(`ended with exit code ${exit.code} ${took}`);
        const isFailure = exit.code !== 0 && op.kind !== 'condition';
        return isFailure ? [...ended, `cli: ${name} failed with exit code ${exit.code}`] : ended;
      }
      default:
        return unreachable(event);
    }
  };
}

function subject(plan: Plan, op: Op): string {
  if (op.kind === 'hook') return `hook '${op.hook}'`;
  const what = op.kind === 'run' ? `step '${op.name}'` : `the condition of step ${op.step}`;
  return `${what} of workflow '${at(plan.calls, op.call).workflow}'`;
}

function sources(plan: Plan, op: Op): string {
  const found = [...settings(plan, op.frame)].map(([name, { source }]) => `${name} (${source})`);
  return found.length === 0 ? 'no variables of the file' : found.join(', ');
}
