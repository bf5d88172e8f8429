import type { Options } from '../../command_line/parse_command_line.ts';
import { load, type ReadFile } from '../../driver/load.ts';
import type { AgentPolicy, WorkflowFile } from '../../../frontend/ast.ts';
import type { Source } from '../../../frontend/diagnostics/source.ts';
import type { Io } from '../../output/io.ts';
import { withMembers } from '../../../base/with_members.ts';
import { messageLines } from '../../output/messages/message.ts';
import { listEntry, type ListEntry } from '../../output/workflow_table.ts';
import { failure, type Result } from '../../../base/result.ts';

/** Names of workflows that have a policy of `deny` of their own, which binds the workflows that call them. */
function denyingWorkflows({ workflows }: WorkflowFile): readonly string[] {
  return [...workflows].flatMap(([name, { agents }]) => (agents === 'deny' ? [name] : []));
}

/**
 * The policies for runs of the workflows of a file, which may have invalid calls. Called workflows only restrict, and
 * conditions do not count: a call that may be skipped is a call. `denying` are further names of workflows that are
 * denied. Takes time linear in the file.
 */
function agentPolicies(file: WorkflowFile, denying: readonly string[] = []): (workflow: string) => AgentPolicy {
  const { workflows } = file;
  const callers = callersOf(file);
  const denied = closure([...denyingWorkflows(file), ...denying], callers);
  const asking = [...workflows].flatMap(([name, { agents, steps }]) => {
    const hasQuestion = withMembers(steps).some((step) => step.kind === 'run' && step.options.confirm !== null);
    return agents === 'ask' || hasQuestion ? [name] : [];
  });
  const asked = closure(asking, callers);
  return (name) => {
    const own = ownPolicy(file, name);
    if (denied.has(name) || own === 'deny') return 'deny';
    return asked.has(name) || own === 'ask' ? 'ask' : 'allow';
  };
}

/** The policy for a workflow that is asked for, without those of its calls. */
function ownPolicy(file: WorkflowFile, name: string): AgentPolicy {
  const workflow = file.workflows.get(name);
  if (workflow === undefined) return 'deny';
  const { agents, private: isPrivate, scope } = workflow;
  return agents ?? (isPrivate ? 'deny' : ((scope ?? file).agents ?? 'ask'));
}

/** The workflows that call each workflow. */
function callersOf({ workflows }: WorkflowFile): ReadonlyMap<string, readonly string[]> {
  const callers = new Map<string, string[]>();
  for (const [name, { steps }] of workflows) {
    for (const step of withMembers(steps)) {
      if (step.kind !== 'call') continue;
      const known = callers.get(step.workflow);
      if (known === undefined) callers.set(step.workflow, [name]);
      else known.push(name);
    }
  }
  return callers;
}

/** Names, and the workflows that call them, directly or not. */
function closure(names: readonly string[], callers: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set(names);
  // A loop over a set also visits elements that are added during the loop.
  for (const name of found) for (const caller of callers.get(name) ?? []) found.add(caller);
  return found;
}

/** The file of a project as it was read, and its texts. A malformed file has no workflows. */
export type ReadProject = Readonly<{ file: WorkflowFile | undefined; source: Pick<Source, 'lines' | 'included'> }>;

/**
 * The policies of a server's project. What an agent runs may edit the files, so an edit cannot loosen them: once any text
 * differs from that at the start, `allow` means `ask`, and what was `deny` stays denied, until the server is started again.
 */
export class PolicySinceStart {
  readonly #texts: readonly string[];
  readonly #file: WorkflowFile | undefined;
  #isEdited = false;

  /** `start` is undefined if no file could be read. */
  constructor(start: ReadProject | undefined) {
    this.#texts = start === undefined ? [] : textsOf(start);
    this.#file = start?.file;
  }

  /** Reads the files as they are at the start. */
  static async read(io: Io, options: Options): Promise<PolicySinceStart> {
    const loaded = await load(io, options);
    return new PolicySinceStart(loaded.ok ? loaded.value : undefined);
  }

  /** The policies of the project as it is now. */
  of(project: ReadProject & Readonly<{ file: WorkflowFile }>): (workflow: string) => AgentPolicy {
    this.#isEdited ||= !isSame(this.#texts, textsOf(project));
    const { file } = project;
    if (!this.#isEdited) return agentPolicies(file);
    const start = this.#file;
    const before = start && agentPolicies(start);
    const now = agentPolicies(file, start && denyingWorkflows(start));
    const wasDenied = (name: string): boolean => start?.workflows.has(name) === true && before?.(name) === 'deny';
    return (name) => (now(name) === 'deny' || wasDenied(name) ? 'deny' : 'ask');
  }
}

/** The paths and texts of the file and all included ones. */
function textsOf({ source: { lines, included } }: ReadProject): readonly string[] {
  return [lines.text, ...included.flatMap((each) => [each.path, each.lines.text])];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

/** A workflow of a file, and whether an agent may run it. */
export type AgentWorkflow = Omit<ListEntry, 'agents'> & Readonly<{ agents: AgentPolicy }>;

/** The workflows of a file in its order. Works for files with invalid calls. */
export function agentWorkflows(loaded: ReadFile, policies: PolicySinceStart): Result<readonly AgentWorkflow[]> {
  if (!loaded.ok) return failure(...loaded.problems.flatMap(messageLines));
  const { file, source } = loaded.value;
  if (file === undefined) return failure(...messageLines({ ...loaded.value, kind: 'diagnostics' }));
  const policyOf = policies.of({ file, source });
  return {
    ok: true,
    value: [...file.workflows].map((each) => Object.assign(listEntry(each), { agents: policyOf(each[0]) })),
  };
}
