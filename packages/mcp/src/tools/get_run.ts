import type { RecordedRuns } from '../../../../src/internal.ts';
import type { Call } from '../approval/person.ts';
import type { ArgumentsOf } from './tool_table.ts';
import { toolResult, type ToolResult } from '../results/tool_result.ts';
import type { Project } from '../runs/project.ts';
import { showRun, unknownRun } from '../runs/show_run.ts';
import { waitFor } from '../runs/watch_run.ts';

/** The number of runs in the list. */
const MAX_RUNS = 10;

/** Shows a run, or lists the newest ones. */
export async function getRun(
  project: Project,
  { run: given, wait_s: wait = 0, ...excerpt }: ArgumentsOf<'get_run'>,
  { signal }: Pick<Call, 'signal'>,
): Promise<ToolResult> {
  const runs = project.runs();
  if (runs.kind === 'result') return runs;
  if (given === undefined) return newestRuns(runs);
  const id = runs.idOf(given) ?? given;
  const own = project.going.find(id);
  if (own === undefined && (runs.idOf(id) !== id || runs.isForeign(id))) return unknownRun(id);
  await waitFor(
    () => (own === undefined || own.begun !== undefined) && (own?.begun?.ok === false || runs.isSettled(id)),
    wait,
    signal,
  );
  return showRun(runs, id, own, excerpt);
}

function newestRuns(runs: RecordedRuns): ToolResult {
  const own = runs.list().filter(({ foreign }) => foreign !== true);
  const newest = own.slice(0, MAX_RUNS).map(({ id, workflow, state }) => ({ run: id, workflow, state }));
  return toolResult({ runs: newest });
}
