import type { KnownOp } from '../../../backend/run_journal.ts';
import type { Outcome, RunEvent } from '../../../backend/run_event.ts';
import type { Assumptions } from '../../../backend/simulation/assumptions.ts';
import { simulate } from '../../../backend/simulation/simulate.ts';
import type { Io } from '../../output/io.ts';
import type { Plan } from '../../../ir/plan.ts';
import { NAMES, stepPaths } from '../../../ir/steps/step_paths.ts';

/** A simulated run: its events and result. `paths` contains the path of each step and condition, by op index. */
export type Simulation = Readonly<{
  events: readonly RunEvent[];
  outcome: Outcome;
  paths: ReadonlyMap<number, string>;
}>;

/** `known` returns the state of ops outside of the selected part. */
export type SimulatedPart = Readonly<{ strict: boolean; known: (op: number) => KnownOp | undefined }>;

/**
 * Simulates a run of a plan. Only required inputs are taken from the process environment, because a run does not start
 * without them.
 */
export async function simulatePlan(
  { env }: Io,
  plan: Plan,
  assumed: Assumptions,
  { strict, known }: SimulatedPart,
): Promise<Simulation> {
  const paths = new Map<number, string>();
  for (const { kind, index, path } of stepPaths(plan, NAMES)) if (kind !== 'call') paths.set(index, path.join('/'));
  const events: RunEvent[] = [];
  const required = plan.frames.flatMap(({ inputs = [] }) => inputs.filter((input) => input.required));
  const base = new Map(
    required.map(({ name }) => [name, env[name] ?? ''] as const).filter(([, value]) => value !== ''),
  );
  const outcome = await simulate(plan, assumed, {
    base,
    strict,
    known,
    pathOf: (op) => paths.get(op) ?? '',
    observe: (event) => void events.push(event),
  });
  return { events, outcome, paths };
}
