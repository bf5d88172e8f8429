import { startOfText } from '../../../../src/internal.ts';
import type { ArgumentsOf } from './tool_table.ts';
import { jsonBytes, longestStart } from '../results/size.ts';
import { toolResult, type ToolResult } from '../results/tool_result.ts';
import type { Project } from '../runs/project.ts';
import { proposeRun } from '../runs/proposal.ts';

/** The maximum size of a plan as JSON, in bytes. */
const MAX_SIZE = 30_000;

const fits = (text: string): boolean => jsonBytes(text) <= MAX_SIZE;

/** Shows the plan of a workflow. */
export async function planWorkflow(
  project: Project,
  { workflow, inputs = {} }: ArgumentsOf<'plan_workflow'>,
): Promise<ToolResult> {
  const proposed = await proposeRun(project, workflow, inputs);
  if (proposed.kind === 'result') return proposed;
  const { agents, digest, lines } = proposed;
  return toolResult({ workflow, agents, digest, plan: longestStart(startOfText(lines()), fits) });
}
