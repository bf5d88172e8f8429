import type { Io, Options } from '../../../../src/internal.ts';
import type { Call, Question } from '../approval/person.ts';
import type { Inputs } from '../runs/proposal.ts';
import type { ArgumentsOf, ToolName } from './tool_table.ts';
import type { ToolResult } from '../results/tool_result.ts';
import { Project } from '../runs/project.ts';
import { proposeRun } from '../runs/proposal.ts';
import { proposeResume } from '../runs/resume_proposal.ts';
import { cancelRun } from './cancel_run.ts';
import { getRun } from './get_run.ts';
import { listWorkflows } from './list_workflows.ts';
import { planWorkflow } from './plan_workflow.ts';
import { startApproved } from './start_approved.ts';

type Handlers = {
  readonly [Name in ToolName]: (
    project: Project,
    args: ArgumentsOf<Name>,
    call: Call,
  ) => Promise<ToolResult | Question>;
};

const HANDLERS: Handlers = {
  list_workflows: listWorkflows,
  plan_workflow: planWorkflow,
  run_workflow: (project, { workflow, inputs = {}, plan_digest, wait_s }, call) => {
    const propose = () => proposeRun(project, workflow, inputs);
    const about = JSON.stringify(['run_workflow', workflow, sorted(inputs), plan_digest]);
    return startApproved(project, { call: about, propose, digest: plan_digest, wait_s }, call);
  },
  get_run: getRun,
  resume_run: (project, { run, wait_s }, call) => {
    const propose = () => proposeResume(project, run);
    return startApproved(project, { call: JSON.stringify(['resume_run', run]), propose, wait_s }, call);
  },
  cancel_run: cancelRun,
};

/** The members of an object in the order of their names. */
function sorted(inputs: Inputs): readonly (readonly [string, unknown])[] {
  return Object.entries(inputs).toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Calls a tool. */
export type CallTool = <Name extends ToolName>(
  name: Name,
  args: ArgumentsOf<Name>,
  call: Call,
) => Promise<ToolResult | Question>;

/** The tools of a project. Each call reads its files anew. */
export async function openTools(io: Io, options: Options, now: () => number): Promise<CallTool> {
  const project = await Project.open(io, options, now);
  return (name, args, call) => HANDLERS[name](project, args, call);
}
