import { exitCode, hasFailed, isNotRunnable } from '../../backend/command_runner.ts';
import { readsOf } from '../../ir/ops.ts';
import { settingsOf, type Setting } from '../../ir/environment.ts';
import { outputVariables } from '../../ir/output_variables.ts';
import type { CommandOp, Plan } from '../../ir/plan.ts';
import { elapsed, type Change } from './op_results.ts';
import { describeOp } from '../../ir/steps/describe_op.ts';

/** Whether `--quiet` shows a change: a failure, or a condition that could not be run, which is most likely a mistake. */
export function isShownQuietly({ event, entry }: Change): boolean {
  if (entry?.kind === 'ended') return hasFailed(entry.exit);
  if (entry?.kind === 'skip') return isNotRunnable(entry.exit);
  return event.kind === 'refused' || event.kind === 'declined';
}

/** The lines of `--debug`: the variables of an op at its start, and its exit code and time at its end. */
export function debugLines(plan: Plan): (change: Change) => string[] {
  const settings = settingsOf(plan);
  return ({ event, results }) => {
    if (event.kind === 'started') {
      const gets = [sources(settings(event.op.frame)), ...outputsOf(event.op)].join(', ');
      return [`debug: ${describeOp(plan, event.op)} gets ${gets}`];
    }
    if (event.kind === 'not ready')
      return [`debug: ${describeOp(plan, event.op)} is ready when ${event.awaited}; tries so far: ${event.tries}`];
    if (event.kind !== 'waiting' && event.kind !== 'ended') return [];
    if (event.exit.kind === 'not started' || event.exit.kind === 'rejected') return [];
    const code = `${describeOp(plan, event.op)} ended with exit code ${exitCode(event.exit)}`;
    if (event.kind === 'waiting') return [`debug: attempt ${event.attempt} of ${code}`];
    return results.flatMap((each) => (each.kind === 'ended' ? `debug: ${code} after ${elapsed(each)} ms` : []));
  };
}

/** The variables of an op's command that contain outputs, with their sources. */
function outputsOf(op: CommandOp): string[] {
  return outputVariables(readsOf(op)).all.map(
    ({ name, read }) => `${name} (output ${read.output} of ${read.from === null ? 'no op' : `op ${read.from}`})`,
  );
}

function sources(settings: ReadonlyMap<string, Setting>): string {
  const found = [...settings].map(([name, { source }]) => `${name} (${source})`);
  return found.length === 0 ? 'no variables of the file' : found.join(', ');
}
