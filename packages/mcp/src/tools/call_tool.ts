import type { Io, Options } from '../../../../src/internal.ts';
import { Approvals } from '../approval/approvals.ts';
import type { Call, Question } from '../approval/person.ts';
import type { Inputs } from '../runs/proposal.ts';
import type { ArgumentsOf, ToolName } from './tool_table.ts';
import type { ToolResult } from '../results/tool_result.ts';
import { GoingRuns } from '../runs/going_runs.ts';
import { openProject } from '../runs/project.ts';
import { proposeRun } from '../runs/proposal.ts';
import { proposeResume } from '../runs/resume_proposal.ts';
import { cancelRun } from './cancel_run.ts';
import { getRun } from './get_run.ts';
import { listWorkflows } from './list_workflows.ts';
import { planWorkflow } from './plan_workflow.ts';
import { Starter } from './starter.ts';

type Handlers = {
  readonly [Name in ToolName]: (args: ArgumentsOf<Name>, call: Call) => Promise<ToolResult | Question>;
};

/** The members of an object in the order of their names. */
function sorted(inputs: Inputs): readonly (readonly [string, unknown])[] {
  return Object.entries(inputs).toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Opens the tools of a project as its files are now. Each call reads them anew. `now`: the time in ms since 1970. */
export async function openTools(io: Io, options: Options, now: () => number) {
  const project = await openProject(io, options);
  const going = new GoingRuns(project);
  const starter = new Starter(project, going, new Approvals(now));
  const handlers: Handlers = {
    list_workflows: (args) => listWorkflows(project, args),
    plan_workflow: (args) => planWorkflow(project, args),
    run_workflow: ({ workflow, inputs = {}, plan_digest, wait_s }, call) => {
      const propose = () => proposeRun(project, workflow, inputs);
      const about = JSON.stringify(['run_workflow', workflow, sorted(inputs), plan_digest]);
      return starter.start({ call: about, propose, digest: plan_digest, wait_s }, call);
    },
    get_run: (args, call) => getRun(project, going, args, call),
    resume_run: ({ run, wait_s }, call) => {
      const propose = () => proposeResume(project, going, run);
      return starter.start({ call: JSON.stringify(['resume_run', run]), propose, wait_s }, call);
    },
    cancel_run: (args, call) => cancelRun(project, going, args, call),
  };
  return <Name extends ToolName>(name: Name, args: ArgumentsOf<Name>, call: Call) => handlers[name](args, call);
}

/** Calls a tool. */
export type CallTool = Awaited<ReturnType<typeof openTools>>;
