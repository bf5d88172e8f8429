import { execute } from '../../../src/backend/execute.ts';
import type { Outcome, RunEvent } from '../../../src/backend/run_event.ts';
import type { Exit, Interruption, CommandRequest } from '../../../src/backend/command_runner.ts';
import { NO_JOURNAL, type AttemptEnd } from '../../../src/backend/run_journal.ts';
import { conditionParts } from '../../../src/ir/ops.ts';
import type { Variable } from '../../../src/ir/plan.ts';
import { compiled } from '../plans.ts';
import { branching } from './branching.ts';

export { branching };

/** How a command ends: an exit code (0 by default), possibly with an interruption. A list has one per attempt. */
export type Fate = One | readonly One[];
type One = number | Exit | { readonly code: number; readonly interruption: Interruption };

export interface Recorded {
  readonly outcome: Outcome;
  /** Every command, and `wait <milliseconds>`, in order. */
  readonly ran: readonly string[];
  readonly requests: readonly CommandRequest[];
  /** The events, as `<kind> <command or condition>`. */
  readonly seen: readonly string[];
  /** Whether another attempt follows each one, as recorded. */
  readonly more: readonly boolean[];
}

interface RecordOptions {
  readonly before?: Interruption;
  readonly during?: Interruption;
  readonly strict?: boolean;
  readonly params?: readonly Variable[];
}

/**
 * Executes a workflow `ci` with a port that runs nothing and records everything. `during` is an interruption in the
 * first wait.
 */
export async function record(
  file: object,
  fates: Readonly<Record<string, Fate>> = {},
  { before, during, strict = false, params = [] }: RecordOptions = {},
): Promise<Recorded> {
  const requests: CommandRequest[] = [];
  const ran: string[] = [];
  let interruption = before;
  const port = branching({
    get interruption() {
      return interruption;
    },
    ready: () => Promise.resolve(),
    run(request) {
      const attempt = requests.filter(({ command }) => command === request.command).length;
      requests.push(request);
      ran.push(request.command);
      const all: readonly One[] = [fates[request.command] ?? 0].flat();
      return Promise.resolve(exit(all[attempt] ?? all.at(-1) ?? 0));
    },
    wait(milliseconds) {
      ran.push(`wait ${milliseconds}`);
      interruption ??= during;
      return Promise.resolve();
    },
  });
  const exit = (fate: One): Exit => {
    if (typeof fate === 'number') return { kind: 'exited', code: fate };
    if ('kind' in fate) return fate;
    interruption = fate.interruption;
    return { kind: 'exited', code: fate.code };
  };
  const seen: string[] = [];
  const plan = compiled(JSON.stringify(file), 'ci', params);
  const base = new Map([['BASE', 'base']]);
  const observe = (event: RunEvent): void => void seen.push(words(event));
  const more: boolean[] = [];
  const journal = { ...NO_JOURNAL, end: (_: number, end: AttemptEnd) => void more.push(end.more) };
  const outcome = await execute(plan, port, { base, strict, observe, journal });
  return { outcome, ran, requests, seen, more };
}

function words(event: RunEvent): string {
  if (event.kind === 'refused') return `refused step ${event.step.step}`;
  const { kind, op } = event;
  if (op.kind === 'parallel') return `${kind} ${op.name}`;
  if (op.kind === 'stop') return kind;
  if (op.kind !== 'condition') return `${kind} ${op.command}`;
  return `${kind} if ${conditionParts(op.test).code}`;
}

/** A summary of an outcome: steps and hooks with their exit codes. */
export function summaryOf({ success, interrupted, steps, hooks }: Outcome): object {
  return {
    success,
    interrupted,
    steps: steps.map(({ op, exitCode }) => `${op.name} ${exitCode}`),
    hooks: hooks.map(({ op, exitCode }) => `${op.hook} ${exitCode}`),
  };
}
