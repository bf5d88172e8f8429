import { execute, type Event, type Outcome } from '../../src/backend/execute.ts';
import type { CommandPort, Exit, Interruption, Request } from '../../src/backend/port.ts';
import { compiled } from './plans.ts';

/** How a command goes: an exit code (0 where nothing is said), or that and an interruption. */
export type Fate = number | Exit | { readonly code: number; readonly interruption: Interruption };

export interface Recorded {
  readonly outcome: Outcome;
  /** Every command that was run, in order. */
  readonly ran: readonly string[];
  readonly requests: readonly Request[];
  /** What observers saw, as `<kind> <command or condition>`. */
  readonly seen: readonly string[];
}

/** Executes a workflow `ci` with a port that runs nothing and remembers everything. */
export async function record(
  file: object,
  fates: Readonly<Record<string, Fate>> = {},
  before?: Interruption,
): Promise<Recorded> {
  const requests: Request[] = [];
  let interruption = before;
  const port: CommandPort = {
    get interruption() {
      return interruption;
    },
    run(request) {
      requests.push(request);
      const fate = fates[request.command] ?? 0;
      if (typeof fate === 'number') return Promise.resolve({ kind: 'exited', code: fate });
      if ('kind' in fate) return Promise.resolve(fate);
      interruption = fate.interruption;
      return Promise.resolve({ kind: 'exited', code: fate.code });
    },
  };
  const seen: string[] = [];
  const plan = compiled(JSON.stringify(file), 'ci');
  const base = new Map([['BASE', 'base']]);
  const outcome = await execute(plan, port, base, (event) => seen.push(words(event)));
  return { outcome, ran: requests.map(({ command }) => command), requests, seen };
}

function words({ kind, op }: Event): string {
  if (op.kind !== 'condition') return `${kind} ${op.command}`;
  return `${kind} if ${op.test.kind === 'variable' ? op.test.name : op.test.command}`;
}

/** An outcome in short: what ran, with exit codes. */
export function short({ success, interrupted, steps, hooks }: Outcome): object {
  return {
    success,
    interrupted,
    steps: steps.map(({ op, exitCode }) => `${op.name} ${exitCode}`),
    hooks: hooks.map(({ op, exitCode }) => `${op.hook} ${exitCode}`),
  };
}
