import type { Event } from '../backend/execute.ts';
import { settingsOf, type Setting } from '../ir/environment.ts';
import { at, type Op, type Place, type Plan, type Test } from '../ir/plan.ts';
import { unreachable } from '../unreachable.ts';

/**
 * Tells people what happens in a run: gives the lines for each event. With `debug` also what each op
 * gets (names of variables, no values), how it ended and how long it took.
 */
export function narrator(plan: Plan, debug: boolean): (event: Event) => string[] {
  const settings = settingsOf(plan);
  let startedAt = 0;
  return (event) => {
    const { op } = event;
    const name = subject(plan, op);
    switch (event.kind) {
      case 'started': {
        // The first look at this clock loads a module, which others need not wait for.
        if (debug) startedAt = performance.now();
        const lines = op.kind === 'condition' ? [] : [`cli: ${name}`];
        return debug ? [...lines, `debug: ${name} gets ${sources(settings(op.frame))}`] : lines;
      }
      case 'skipped':
        return [`cli: skipped step ${event.op.step} of ${place(plan, event.op)}: ${unmet(event.op.test)}`];
      case 'ended': {
        const { exit } = event;
        if (exit.kind === 'not started') return [`cli: ${name} could not be started: ${exit.reason}`];
        const took = (): string => `after ${Math.round(performance.now() - startedAt)} ms`;
        const lines = debug ? [`debug: ${name} ended with exit code ${exit.code} ${took()}`] : [];
        const isFailure = exit.code !== 0 && op.kind !== 'condition';
        return isFailure ? [...lines, `cli: ${name} failed with exit code ${exit.code}`] : lines;
      }
      default:
        return unreachable(event);
    }
  };
}

function subject(plan: Plan, op: Op): string {
  if (op.kind === 'hook') return `hook '${op.hook}'`;
  const what = op.kind === 'run' ? `step '${op.name}'` : `the condition of step ${op.step}`;
  return `${what} of ${place(plan, op)}`;
}

function place(plan: Plan, { call }: Place): string {
  return `workflow '${at(plan.calls, call).workflow}'`;
}

function unmet(test: Test): string {
  return test.kind === 'variable' ? `${test.name} is not set` : `not so: ${test.command}`;
}

function sources(settings: ReadonlyMap<string, Setting>): string {
  const found = [...settings].map(([name, { source }]) => `${name} (${source})`);
  return found.length === 0 ? 'no variables of the file' : found.join(', ');
}
