import {
  approvalLines,
  isSecret,
  isUnrecorded,
  planDigest,
  planRun,
  shownLine,
  UNRECORDED,
} from '../../../../src/internal.ts';
import type { AgentPolicy, AgentWorkflow, PlannedRun, ReadFile } from '../../../../src/internal.ts';
import { toolError, type ToolResult } from '../results/tool_result.ts';
import type { Project } from './project.ts';

/** The values of the inputs of a workflow, as an agent gives them. */
export type Inputs = Readonly<Record<string, string | boolean | number>>;

/** A run that an agent asks for, as its files are now. `command` is what a person can type instead. */
export type Proposal = Readonly<{
  kind: 'proposal';
  planned: PlannedRun;
  agents: Exclude<AgentPolicy, 'deny'>;
  /** The text for approval: the states of a resume, and the plan. */
  lines: () => Iterable<string>;
  digest: string;
  command: string;
}>;

/** A proposal, or the error to answer with. */
export type Proposed = Proposal | ToolResult;

/** The identity of a proposal: the plan with its secrets, and the policy. */
export function bindingOf({ planned: { digest }, agents }: Proposal): string {
  return `${agents} ${digest}`;
}

/** Plans the run of a workflow with inputs. */
export async function proposeRun(project: Project, workflow: string, inputs: Inputs): Promise<Proposed> {
  const { io, options, key } = project;
  const read = await project.read();
  const found = permitted(project, read, workflow);
  if (found.kind === 'result') return found;
  const refusal = refusedInput(found.entry, inputs);
  if (refusal !== undefined) return toolError('inputs', [refusal]);
  if (isUnrecorded(io, options)) return toolError('invalid', [UNRECORDED]);
  const params = Object.entries(inputs).map(([name, value]) => [name, String(value)] as const);
  const request = { command: 'run', name: workflow, params, file: project.file } as const;
  const planned = await planRun(io, request, key, read);
  if (!planned.ok) return toolError('invalid', planned.problems);
  const digest = planDigest(planned.value);
  const command = shownLine(request, '--plan-digest', digest);
  const lines = (): Iterable<string> => approvalLines(planned.value, planned.value.about);
  return { kind: 'proposal', planned: planned.value, agents: found.agents, lines, digest, command };
}

type Permitted = Readonly<{ kind: 'permitted'; entry: AgentWorkflow; agents: Proposal['agents'] }>;

/** A workflow that agents may ask for. */
export function permitted(project: Project, read: ReadFile, workflow: string): Permitted | ToolResult {
  const listed = project.workflows(read);
  if (!listed.ok) return toolError('invalid', listed.problems);
  const entry = listed.value.find(({ name }) => name === workflow);
  if (entry === undefined) return toolError('unknown', [`no workflow '${workflow}'`]);
  const { agents } = entry;
  if (agents === 'deny') return toolError('denied', [`agents may not run workflow '${workflow}'`]);
  return { kind: 'permitted', entry, agents };
}

/** The reason why an agent may not give an input: a parameter that is not declared would set any variable. */
function refusedInput({ name: workflow, inputs: declared = [] }: AgentWorkflow, inputs: Inputs): string | undefined {
  for (const name of Object.keys(inputs)) {
    const input = declared.find((each) => each.name === name);
    if (input === undefined) return `workflow '${workflow}' declares no input '${name}'`;
    if (input.secret === true || isSecret(name))
      return `the input '${name}' is secret: its value comes from the environment of the server`;
  }
  return undefined;
}
