import type { Workflow, WorkflowFile } from '../frontend/workflow_file.ts';

/** A workflow that is known to exist: references were checked when the file was read. */
export function workflowOf(file: WorkflowFile, name: string): Workflow {
  const workflow = file.workflows.get(name);
  if (workflow === undefined) throw new Error(`no workflow ${name} in a checked file`);
  return workflow;
}
