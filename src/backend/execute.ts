import type { Op, Plan } from '../ir/plan.ts';
import type { CommandRunner } from './command_runner.ts';
import { Interpreter } from './interpreter.ts';
import { MissingOutputs } from './missing_outputs.ts';
import { Requests } from './command_requests.ts';
import { NO_JOURNAL } from './run_journal.ts';
import type { HookResult, Outcome, StepResult } from './run_event.ts';
import type { RunSettings, SharedState } from './run_settings.ts';

/**
 * Runs a plan. After a failure or an interruption, continues through the ops, but runs only the hooks for a failure or
 * for both outcomes.
 */
export async function execute(plan: Plan, runner: CommandRunner, settings: RunSettings): Promise<Outcome> {
  const steps: StepResult[] = [];
  const hooks: HookResult[] = [];
  const requests = new Requests(plan, settings.base, settings.secrets);
  const missing = new MissingOutputs(plan, requests);
  let commands = 0;
  const nextNumber = (): number => {
    commands += 1;
    return commands;
  };
  const journal = settings.journal ?? NO_JOURNAL;
  const checks = settings.checks?.({ plan, journal, requests, missing });
  const confirmations = settings.confirm?.({ plan, base: requests.base, journal, nextNumber, requests, checks });
  const locks = settings.locks?.(journal);
  const parts = { plan, settings, journal, nextNumber, requests, missing, confirmations, checks, locks };
  const background = plan.ops.some(({ kind }) => kind === 'stop')
    ? await import('./background/supervisor.ts')
    : undefined;
  const supervise =
    background && ((port: CommandRunner, onFailure: () => void) => new background.Supervisor(shared, port, onFailure));
  const shared: SharedState = { ...parts, supervise, started: new Set(), steps, hooks };
  const whole = { start: { op: 0, call: 0 }, end: { op: plan.ops.length, call: plan.calls.length } };
  await locks?.begin(runner);
  const failed = await new Interpreter(shared, runner, whole).run();
  const interrupted = runner.interruption?.signal;
  return {
    success: !failed && interrupted === undefined,
    interrupted,
    steps: inOrder(plan, steps),
    hooks: inOrder(plan, hooks),
  };
}

/** The results in the order of the plan. Branches and steps in the background add theirs in the order in which their steps ended. */
function inOrder<Result extends StepResult | HookResult>({ ops }: Plan, results: readonly Result[]): readonly Result[] {
  if (results.length === 0 || !ops.some(({ kind }) => kind === 'parallel' || kind === 'stop')) return results;
  const indexes = new Map(ops.map((op, index): [Op, number] => [op, index]));
  return results.toSorted((one, other) => (indexes.get(one.op) ?? 0) - (indexes.get(other.op) ?? 0));
}
