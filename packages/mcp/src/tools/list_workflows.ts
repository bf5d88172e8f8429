import type { ArgumentsOf } from './tool_table.ts';
import { jsonBytes, longestStart } from '../results/size.ts';
import type { Project } from '../runs/project.ts';
import { toolError, toolResult, type ToolResult } from '../results/tool_result.ts';

/** The maximum number of workflows in a result, and their size in bytes. */
const [MAX_WORKFLOWS, MAX_SIZE] = [100, 30_000];

/** The maximum length of a description, in characters. */
const MAX_DESCRIPTION = 200;

/** Lists the workflows that an agent may run. `more`: the number of omitted workflows. */
export async function listWorkflows(
  project: Project,
  { filter = '' }: ArgumentsOf<'list_workflows'>,
): Promise<ToolResult> {
  const listed = project.workflows(await project.read());
  if (!listed.ok) return toolError('invalid', listed.problems);
  const found = listed.value.filter(({ name, agents }) => agents !== 'deny' && name.includes(filter));
  const workflows: object[] = [];
  let size = 0;
  for (const { name, description, inputs, agents } of found) {
    const about = longestStart(description, (text) => text.length <= MAX_DESCRIPTION);
    const entry = {
      name,
      ...(about !== '' && { description: about }),
      ...(inputs !== undefined && { inputs }),
      agents,
    };
    size += jsonBytes(entry);
    if (workflows.length === MAX_WORKFLOWS || size > MAX_SIZE) break;
    workflows.push(entry);
  }
  const more = found.length - workflows.length;
  return toolResult({ workflows, ...(more > 0 && { more }) });
}
