import { exitCode, type Event } from '../backend/execute.ts';
import { settings } from '../ir/environment.ts';
import { at, type Op, type Plan } from '../ir/plan.ts';
import { testText } from '../ir/preview.ts';
import { planText } from '../ir/text.ts';
import { say, type Io } from './io.ts';
import { unreachable } from '../unreachable.ts';

/** The plan's text form, for `--debug`. */
export function* debugPlan(plan: Plan): Generator<string> {
  for (const line of planText(plan)) yield `debug: ${line}`;
}

/** Says of each op what it gets, how it ended and how long it took. Names of variables, no values. */
export function debugEvents(io: Io, plan: Plan): (event: Event) => void {
  let startedAt = 0;
  return (event) => {
    switch (event.kind) {
      case 'started':
        startedAt = performance.now();
        say(io, [`debug: ${label(plan, event.op)} gets ${sources(plan, event.op.frame)}`]);
        break;
      case 'ended': {
        const took = Math.round(performance.now() - startedAt);
        const code = exitCode(event.exit);
        say(io, [`debug: ${label(plan, event.op)} ended with exit code ${code} after ${took} ms`]);
        break;
      }
      case 'skipped':
        say(io, [`debug: ${label(plan, event.op)} does not hold, on to op ${event.op.otherwise}`]);
        break;
      default:
        unreachable(event);
    }
  };
}

function label(plan: Plan, op: Op): string {
  switch (op.kind) {
    case 'hook':
      return `hook ${op.hook}`;
    case 'condition':
      return `condition (${testText(op.test)})`;
    case 'run':
      return `step ${at(plan.calls, op.call).workflow}/${op.name}`;
    default:
      return unreachable(op);
  }
}

function sources(plan: Plan, frame: number): string {
  const found = [...settings(plan, frame)].map(([name, { source }]) => `${name} (${source})`);
  return found.length === 0 ? 'no variables of the file' : found.join(', ');
}
