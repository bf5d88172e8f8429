import { isCheck } from '../../ir/ops.ts';
import type { Plan, Variable } from '../../ir/plan.ts';
import type { CheckParts } from '../checks/check_port.ts';
import { deferred } from '../checks/once_calls.ts';
import { PlanChecks } from '../checks/plan_checks.ts';
import { exitCode, LONGEST_WAIT, TERMINATED } from '../command_runner.ts';
import type { CommandRequest, Exit, BackgroundRequest, BranchRunner } from '../command_runner.ts';
import { answerYes } from '../confirmations.ts';
import { execute } from '../execute.ts';
import { NO_JOURNAL, type KnownOp } from '../run_journal.ts';
import type { Outcome, RunEvent } from '../run_event.ts';
import type { Assumptions } from './assumptions.ts';

/**
 * `answer` returns the assumed exit of a request. `onBackground` receives a function that ends a command in the background,
 * as if it ended by itself.
 */
type Assumed = Readonly<{
  answer: (request: CommandRequest) => Exit;
  onBackground: (request: CommandRequest, die: () => void) => void;
}>;

/**
 * Starts nothing: every command ends immediately with its assumed exit, and waiting takes no time. The branches of a
 * group start concurrently, and their commands end in the order of the plan, branch by branch.
 */
function simulatedRunner(
  assumed: Assumed,
  own?: Readonly<{ turn: Promise<unknown>; parent?: BranchRunner; onClose?: () => void }>,
): BranchRunner {
  /** Settles when it is this branch's turn. */
  const turn = own?.turn ?? Promise.resolve();
  /** Settles when all branches so far are closed. */
  let forks = turn;
  let isCancelled = false;
  let onCancel: (() => void) | undefined;

  /** A command in the background is ready at once, unless it is assumed to fail, and ends when it is cancelled. */
  function runInBackground(request: CommandRequest, { onReady, onEnd }: BackgroundRequest): Promise<Exit> {
    const ended = new Promise<Exit>((resolve) => {
      onCancel = () => resolve({ kind: 'cancelled', code: TERMINATED });
      assumed.onBackground(request, () => {
        onEnd();
        resolve({ kind: 'exited', code: 1 });
      });
    });
    const exit = assumed.answer(request);
    if (exitCode(exit) !== 0) return Promise.resolve(exit);
    onReady(0);
    return ended;
  }

  const runner: BranchRunner = {
    interruption: undefined,
    hasOutput: false,
    get isCancelled() {
      return isCancelled || own?.parent?.isCancelled === true;
    },
    ready: () => Promise.resolve(),
    async run(request) {
      await turn;
      if (request.background !== undefined) return runInBackground(request, request.background);
      return runner.isCancelled && request.completes !== true
        ? { kind: 'cancelled', code: TERMINATED }
        : assumed.answer(request);
    },
    /** Takes no time once it is this branch's turn. */
    async wait(milliseconds, onCancelled) {
      // Something else ends the wait for a step in the background.
      if (milliseconds === LONGEST_WAIT && onCancelled !== undefined)
        return new Promise((resolve) => void onCancelled(resolve));
      await turn;
    },
    fork: ({ branch }) => {
      // A step in the background has no turn.
      if ('kind' in branch) return simulatedRunner(assumed, { turn });
      const { reached: closed, reach: onClose } = deferred();
      const before = forks;
      forks = forks.then(() => closed);
      return simulatedRunner(assumed, { turn: before, parent: runner, onClose });
    },
    cancel: () => {
      isCancelled = true;
      onCancel?.();
    },
    close: () => own?.onClose?.(),
  };
  return runner;
}

/**
 * `base` is the environment below the plan's variables. `known` returns the state of ops that the run does not execute,
 * in addition to those that the assumptions leave out. `pathOf` returns the path of a step.
 */
export type SimulationSettings = Readonly<{
  base: ReadonlyMap<string, string>;
  strict: boolean;
  known: (op: number) => KnownOp | undefined;
  pathOf: (op: number) => string;
  observe: (event: RunEvent) => void;
}>;

/**
 * Executes a plan without starting anything. Unless assumed otherwise, commands succeed, conditions with a command hold
 * and questions are answered with yes. An output has its name in angle brackets as its value.
 */
export function simulate(plan: Plan, assumed: Assumptions, settings: SimulationSettings): Promise<Outcome> {
  const { base, strict, observe, pathOf } = settings;
  /** The op of each command, by the command's number in the run, and those of steps. */
  const [ops, steps] = [new Map<number, number>(), new Map<number, number>()];
  const answer = ({ number, outputs }: CommandRequest): Exit => {
    const op = ops.get(number) ?? -1;
    ops.delete(number);
    const code = assumed.exits.get(op) ?? 0;
    if (code !== 0 || outputs.length === 0) return { kind: 'exited', code };
    const given = assumed.outputs.get(op);
    const values = outputs.map(([name]): Variable => [name, given?.get(name) ?? `<${pathOf(op)}.${name}>`]);
    return { kind: 'exited', code, outputs: { ok: true, values } };
  };
  /** The ends of the steps in the background that are assumed to end by themselves, by op. */
  const deaths = new Map<number, () => void>();
  const onBackground = ({ number }: CommandRequest, die: () => void): void => {
    const op = ops.get(number) ?? -1;
    if (assumed.dying.has(op)) deaths.set(op, die);
  };
  /** A step has ended: those in the background before it, whose stop comes after it, end too. */
  const end = (number: number): undefined => {
    const op = steps.get(number) ?? -1;
    for (const [index, die] of deaths) {
      const stop = plan.ops.findIndex((each) => each.kind === 'stop' && each.ops.includes(index));
      if (op <= index || op >= stop) continue;
      deaths.delete(index);
      die();
    }
  };
  const known = (op: number): KnownOp | undefined => {
    if (assumed.leftOut.has(op)) return { kind: 'left out' };
    const holds = assumed.answers.get(op);
    return holds === undefined ? settings.known(op) : { kind: 'decided', holds };
  };
  const start = (number: number, op: number): undefined => {
    ops.set(number, op);
    if (plan.ops[op]?.kind === 'run') steps.set(number, op);
  };
  const journal = { ...NO_JOURNAL, known, start, end };
  const checks = plan.ops.some(isCheck) ? (parts: CheckParts) => new PlanChecks(parts) : undefined;
  const runner = simulatedRunner({ answer, onBackground });
  return execute(plan, runner, { base, strict, isSimulated: true, observe, journal, checks, confirm: answerYes });
}
