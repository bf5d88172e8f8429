import type { Call } from '../approval/person.ts';
import type { ArgumentsOf } from './tool_table.ts';
import { toolError, type ToolResult } from '../results/tool_result.ts';
import type { Project } from '../runs/project.ts';
import { showRun, unknownRun } from '../runs/show_run.ts';
import { waitFor } from '../runs/watch_run.ts';

/** How long to wait for the hooks of an interrupted run, in seconds. */
const WAIT = 5;

/** Interrupts a run that an agent has started, and waits for its end for a while. */
export async function cancelRun(
  project: Project,
  { run: given }: ArgumentsOf<'cancel_run'>,
  { signal }: Pick<Call, 'signal'>,
): Promise<ToolResult> {
  const runs = project.runs();
  if (runs.kind === 'result') return runs;
  const id = runs.idOf(given) ?? given;
  const own = project.going.find(id);
  const isStarting = own !== undefined && own.begun === undefined;
  if (!isStarting) {
    const header = runs.header(id);
    if (header === undefined || runs.isForeign(id)) return unknownRun(id);
    if (header.agent === undefined) return toolError('denied', [`no agent has started run ${id}`]);
  }
  if (isStarting) own.interrupt();
  else if (!runs.cancel(id)) return toolError('ended', [`run ${id} is not running`]);
  await waitFor(() => (own === undefined || own.begun !== undefined) && runs.isSettled(id), WAIT, signal);
  return showRun(runs, id, own);
}
