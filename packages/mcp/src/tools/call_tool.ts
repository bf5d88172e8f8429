import type { Io, Options } from '../../../../src/internal.ts';
import { Approvals } from '../approval/approvals.ts';
import type { Call, Question } from '../approval/person.ts';
import type { Inputs } from '../runs/proposal.ts';
import type { ArgumentsOf, ToolName } from './tool_table.ts';
import type { ToolResult } from '../results/tool_result.ts';
import { GoingRuns } from '../runs/going_runs.ts';
import { Project } from '../runs/project.ts';
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

/** The tools of a project. Each call reads its files anew. `now` is the time in milliseconds since 1970. */
export class Tools {
  readonly #handlers: Handlers;

  private constructor(project: Project, now: () => number) {
    const going = new GoingRuns(project);
    const starter = new Starter(project, going, new Approvals(now));
    this.#handlers = {
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
  }

  /** Opens a project as its files are at the start of the server. */
  static async open(io: Io, options: Options, now: () => number): Promise<Tools> {
    return new Tools(await Project.open(io, options), now);
  }

  /** Calls a tool. */
  async call<Name extends ToolName>(name: Name, args: ArgumentsOf<Name>, call: Call): Promise<ToolResult | Question> {
    return this.#handlers[name](args, call);
  }
}
