import { environment } from '../ir/environment.ts';
import { at, type ConditionOp, type HookOp, type Op } from '../ir/plan.ts';
import { unreachable } from '../unreachable.ts';
import type { Plan, RunOp } from '../ir/plan.ts';
import type { CommandPort, Exit, Signal } from './port.ts';

/** What a run came to. */
export interface Outcome {
  readonly success: boolean;
  readonly interrupted: Signal | undefined;
  /** The commands of steps that ran, in order. */
  readonly steps: readonly StepOutcome[];
  readonly hooks: readonly HookOutcome[];
}

export interface StepOutcome {
  readonly op: RunOp;
  readonly exitCode: number;
}

export interface HookOutcome {
  readonly op: HookOp;
  readonly exitCode: number;
}

/** Something that happened during a run, for those who show it. */
export type Event =
  | { readonly kind: 'started'; readonly op: Op }
  | { readonly kind: 'ended'; readonly op: Op; readonly exit: Exit }
  /** The condition did not hold. */
  | { readonly kind: 'skipped'; readonly op: ConditionOp };

/** The shell's own code for a command that was found and could not be run. */
const CANNOT_RUN = 126;

/** The exit code that stands for how a command ended. */
export function exitCode(exit: Exit): number {
  return exit.kind === 'exited' ? exit.code : CANNOT_RUN;
}

/**
 * Runs a plan: one loop over its ops.
 *
 * `base` is the environment under the plan's own variables. A failed or interrupted run goes on
 * through the ops in the failed state, in which only the hooks for failure run.
 */
export async function execute(
  plan: Plan,
  port: CommandPort,
  base: ReadonlyMap<string, string>,
  observe: (event: Event) => void,
): Promise<Outcome> {
  const steps: StepOutcome[] = [];
  const hooks: HookOutcome[] = [];
  let failed = false;

  /** Neighbouring ops mostly share a frame, so the last environment is all that is kept. */
  let current: { frame: number; variables: ReadonlyMap<string, string> } | undefined;
  const variablesOf = (frame: number): ReadonlyMap<string, string> => {
    if (current?.frame !== frame) current = { frame, variables: environment(plan, frame, base) };
    return current.variables;
  };
  const run = async (op: Op, command: string, input: 'inherit' | 'none'): Promise<Exit> => {
    observe({ kind: 'started', op });
    const exit = await port.run({ command, environment: variablesOf(op.frame), input });
    observe({ kind: 'ended', op, exit });
    return exit;
  };
  const holds = async (op: ConditionOp): Promise<boolean> => {
    if (op.test.kind === 'variable') return Boolean(variablesOf(op.frame).get(op.test.name));
    const exit = await run(op, op.test.command, 'none');
    if (exit.kind === 'not started') failed = true;
    return exitCode(exit) === 0;
  };

  for (let index = 0; index < plan.ops.length;) {
    if (port.interruption?.forced === true) break;
    failed ||= port.interruption !== undefined;
    const op = at(plan.ops, index);
    index += 1;
    switch (op.kind) {
      case 'hook': {
        if (failed !== (op.when === 'failure')) break;
        const code = exitCode(await run(op, op.command, 'inherit'));
        hooks.push({ op, exitCode: code });
        failed ||= code !== 0;
        break;
      }
      case 'condition':
        if (failed) break;
        if (await holds(op)) break;
        observe({ kind: 'skipped', op });
        index = op.otherwise;
        break;
      case 'run': {
        if (failed) break;
        const code = exitCode(await run(op, op.command, 'inherit'));
        steps.push({ op, exitCode: code });
        failed ||= code !== 0;
        break;
      }
      default:
        unreachable(op);
    }
  }
  const interrupted = port.interruption?.signal;
  return { success: !failed && interrupted === undefined, interrupted, steps, hooks };
}
