import { RecordedRuns, type Io } from '../../../../src/internal.ts';
import type { ArgumentsOf } from '../protocol/tool_table.ts';
import { runView } from '../results/run_view.ts';
import { toolError, type ToolResult } from '../results/tool_result.ts';
import { waitFor } from './wait.ts';

/** The number of runs in the list. */
const MAX_RUNS = 10;

/** Shows a run, or lists the newest ones. */
export async function getRun(
  io: Io,
  { run: id, step, wait_s: wait = 0 }: ArgumentsOf<'get_run'>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const opened = RecordedRuns.open(io, { directory: process.cwd(), readOnly: true });
  if (!opened.ok) return toolError('invalid', opened.problems);
  const runs = opened.value;
  if (id === undefined) {
    const listed = runs.list().filter(({ foreign }) => foreign !== true);
    const newest = listed.slice(0, MAX_RUNS).map(({ id: run, workflow, state }) => ({ run, workflow, state }));
    return { content: { runs: newest }, isError: false };
  }
  const unknown = toolError('unknown', [`no run '${id}'`]);
  if (!runs.has(id) || runs.isForeign(id)) return unknown;
  await waitFor(() => runs.isSettled(id), wait, signal);
  const document = runs.document(id);
  if (document === undefined) return unknown;
  const view = runView(document, step);
  return view === undefined
    ? toolError('unknown', [`no step '${step}' in run ${id}`])
    : { content: view, isError: false };
}
