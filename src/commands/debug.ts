import { exitCode, type Event } from '../backend/execute.ts';
import { settings } from '../ir/environment.ts';
import type { Op, Plan } from '../ir/plan.ts';
import { unreachable } from '../unreachable.ts';
import { subject } from './failure.ts';

/** Says of each op what it gets, how it ended and how long it took. Names of variables, no values. */
export function debugEvents(plan: Plan, say: (line: string) => void): (event: Event) => void {
  let startedAt = 0;
  return (event) => {
    const name = subject(plan, event.op);
    switch (event.kind) {
      case 'started':
        startedAt = performance.now();
        say(`${name} gets ${sources(plan, event.op)}`);
        break;
      case 'ended': {
        const took = Math.round(performance.now() - startedAt);
        say(`${name} ended with exit code ${exitCode(event.exit)} after ${took} ms`);
        break;
      }
      case 'skipped':
        say(`${name} does not hold; on to op ${event.op.otherwise}`);
        break;
      default:
        unreachable(event);
    }
  };
}

function sources(plan: Plan, op: Op): string {
  const found = [...settings(plan, op.frame)].map(([name, { source }]) => `${name} (${source})`);
  return found.length === 0 ? 'no variables of the file' : found.join(', ');
}
