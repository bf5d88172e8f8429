import { settingsOf } from '../ir/environment.ts';
import { at, type ConditionOp, type HookOp, type Op, type Plan, type RunOp } from '../ir/plan.ts';
import { unreachable } from '../unreachable.ts';
import type { CommandPort, Exit, Request } from './port.ts';

/** An op whose command was run. */
export type Ran<Kind> = Readonly<{ op: Kind; exitCode: number }>;

/** What a run came to: the steps and the hooks that ran, in order. */
export type Outcome = Readonly<{
  success: boolean;
  interrupted: NodeJS.Signals | undefined;
  steps: readonly Ran<RunOp>[];
  hooks: readonly Ran<HookOp>[];
}>;

/** A turn of the event loop. The promises of `timers/promises` would load more of Node, and make more garbage. */
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Something that happened during a run, for those who show it. Skipped: a condition does not hold. */
export type Event = Readonly<
  { kind: 'started'; op: Op } | { kind: 'ended'; op: Op; exit: Exit } | { kind: 'skipped'; op: ConditionOp }
>;

/** The exit code that stands for how a command ended: the shell's own 126 if it could not be run. */
export function exitCode(exit: Exit): number {
  return exit.kind === 'exited' ? exit.code : 126;
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
  const steps: Ran<RunOp>[] = [];
  const hooks: Ran<HookOp>[] = [];
  let failed = false;

  const settings = settingsOf(plan);
  /** Neighbouring ops mostly share a frame, so the last environment is all that is kept. */
  let last = { frame: -1, variables: base };
  const variables = (frame: number): ReadonlyMap<string, string> => {
    if (last.frame === frame) return last.variables;
    const own = [...settings(frame)].map(([name, { value }]) => [name, value] as const);
    last = { frame, variables: new Map([...base, ...own]) };
    return last.variables;
  };
  /** Two turns: the poll between them has a signal that came meanwhile, perhaps while showing took long. */
  const show = async (event: Event): Promise<void> => {
    observe(event);
    await turn();
    await turn();
  };
  /** Undefined if the run was interrupted before the command could start. */
  const run = async (op: Op, command: string, input: Request['input']): Promise<Exit | undefined> => {
    await show({ kind: 'started', op });
    const isForFailure = op.kind === 'hook' && op.when === 'failure';
    if (isForFailure ? port.interruption?.forced === true : port.interruption !== undefined) return undefined;
    const exit = await port.run({ command, environment: variables(op.frame), input });
    await show({ kind: 'ended', op, exit });
    return exit;
  };
  const holds = async ({ test, frame }: ConditionOp, op: Op): Promise<boolean> => {
    if (test.kind === 'variable') return Boolean(variables(frame).get(test.name));
    const exit = await run(op, test.command, 'none');
    failed ||= exit?.kind === 'not started';
    return exit !== undefined && exitCode(exit) === 0;
  };
  const record = async <Kind extends HookOp | RunOp>(op: Kind, list: Ran<Kind>[]): Promise<void> => {
    const exit = await run(op, op.command, 'inherit');
    if (exit !== undefined) list.push({ op, exitCode: exitCode(exit) });
    failed ||= exit === undefined || exitCode(exit) !== 0;
  };

  for (let index = 0; index < plan.ops.length;) {
    if (port.interruption?.forced === true) break;
    failed ||= port.interruption !== undefined;
    const op = at(plan.ops, index);
    index += 1;
    if (failed !== (op.kind === 'hook' && op.when === 'failure')) continue;
    switch (op.kind) {
      case 'hook':
        await record(op, hooks);
        break;
      case 'condition':
        if ((await holds(op, op)) || port.interruption !== undefined) break;
        await show({ kind: 'skipped', op });
        index = op.otherwise;
        break;
      case 'run':
        await record(op, steps);
        break;
      default:
        unreachable(op);
    }
  }
  const interrupted = port.interruption?.signal;
  return { success: !failed && interrupted === undefined, interrupted, steps, hooks };
}
