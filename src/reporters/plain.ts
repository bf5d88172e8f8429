import { exitCode, hasFailed, type RunEvent } from '../backend/execute.ts';
import { settingsOf, type Setting } from '../ir/environment.ts';
import { at, type ConditionOp, type Op, type StepPosition, type Plan } from '../ir/plan.ts';
import { outputVariables } from '../ir/output_variables.ts';
import { unreachable } from '../unreachable.ts';
import { endingWords, waitingWords, type Help } from './failure_text.ts';
import type { Options } from '../command_line/parse.ts';
import { say, type Io } from '../output/io.ts';
import type { Reporter } from './reporter.ts';

/**
 * Tells what happens in a run in plain lines, one after the other and the same ones every time. With `--debug` also
 * what each op gets (names of variables, no values), how it ended and how long it took; with `--quiet` only failures.
 */
export function plainReporter(io: Io, plan: Plan, { switches }: Options, help: Help): Reporter {
  const lines = linesOf(plan, switches.has('debug'), switches.has('quiet'), help);
  return {
    onEvent: (event) => say(io, lines(event)),
    onEnd: ({ interrupted }) => interrupted && say(io, [`interrupted by ${interrupted}`], 'cli: '),
  };
}

function linesOf(plan: Plan, debug: boolean, quiet: boolean, help: Help): (event: RunEvent) => readonly string[] {
  const settings = settingsOf(plan);
  let startedAt = 0;
  return (event) => {
    const { op } = event;
    const name = subject(plan, op);
    switch (event.kind) {
      case 'started': {
        // The first look at this clock loads a module, which others need not wait for.
        if (debug) startedAt = performance.now();
        const lines = op.kind === 'condition' || quiet ? [] : [`cli: ${name}`];
        return debug
          ? [...lines, `debug: ${name} gets ${[sources(settings(op.frame)), ...readsOf(op)].join(', ')}`]
          : lines;
      }
      case 'skipped':
        return quiet ? [] : [`cli: skipped step ${event.op.step} of ${place(plan, event.op)}: ${unmet(event.op)}`];
      case 'ended': {
        const { exit } = event;
        const isStarted = exit.kind !== 'not started';
        const took = (): string => `after ${Math.round(performance.now() - startedAt)} ms`;
        const lines = debug && isStarted ? [`debug: ${name} ended with exit code ${exitCode(exit)} ${took()}`] : [];
        if (!hasFailed(exit) || (op.kind === 'condition' && isStarted)) return lines;
        const more = help(op).map((line) => `cli:   ${line}`);
        return [...lines, `cli: ${name} ${endingWords(op, exit)}`, ...more];
      }
      case 'waiting': {
        const { exit, attempt } = event;
        const lines = debug ? [`debug: attempt ${attempt} of ${name} ended with exit code ${exitCode(exit)}`] : [];
        return quiet ? lines : [...lines, `cli: ${name} ${waitingWords(event.op, exit, attempt)}`];
      }
      default:
        return unreachable(event);
    }
  };
}

/** The variables that stand for outputs in an op's command, and where those come from. */
function readsOf(op: Op): string[] {
  const reads = op.kind !== 'condition' ? op.reads : op.test.kind === 'command' ? op.test.reads : [];
  return outputVariables(reads).all.map(({ name, read }) => `${name} (output ${read.output} of op ${read.from})`);
}

/** What an op is called in a sentence. */
export function subject(plan: Plan, op: Op): string {
  if (op.kind === 'hook') return `hook '${op.hook}'`;
  const what = op.kind === 'run' ? `step '${op.name}'` : `the condition of step ${op.step}`;
  return `${what} of ${place(plan, op)}`;
}

function place(plan: Plan, { call }: StepPosition): string {
  return `workflow '${at(plan.calls, call).workflow}'`;
}

/** Why a step was skipped. */
export function unmet({ test }: ConditionOp): string {
  return test.kind === 'variable' ? `${test.name} is not set` : `not so: ${test.command}`;
}

function sources(settings: ReadonlyMap<string, Setting>): string {
  const found = [...settings].map(([name, { source }]) => `${name} (${source})`);
  return found.length === 0 ? 'no variables of the file' : found.join(', ');
}
