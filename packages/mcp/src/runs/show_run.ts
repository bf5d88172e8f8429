import { CHANGED, type RecordedRuns } from '../../../../src/internal.ts';
import { runView, type Excerpt } from '../results/run_view.ts';
import { toolError, toolResult, type ToolResult } from '../results/tool_result.ts';
import type { GoingRun } from './going_runs.ts';

/** A run as the result of a tool; the error of a run that did not begin. */
export function showRun(
  runs: RecordedRuns,
  id: string,
  going: GoingRun | undefined,
  excerpt: Excerpt = {},
): ToolResult {
  if (going !== undefined && going.begun === undefined && !going.hasBegun()) {
    return toolResult({ run: id, workflow: going.workflow, state: 'starting', done: 0 });
  }
  if (going?.begun?.ok === false) {
    const { problems } = going.begun;
    return toolError(problems.includes(CHANGED) ? 'changed' : 'invalid', problems);
  }
  const document = runs.document(id);
  if (document === undefined || runs.isForeign(id)) return unknownRun(id);
  const view = runView(runs, document, excerpt);
  return view === undefined ? toolError('unknown', [`no step '${excerpt.step}' in run ${id}`]) : toolResult(view);
}

export function unknownRun(id: string): ToolResult {
  return toolError('unknown', [`no run '${id}'`]);
}
