import type { Options } from '../../command_line/parse_command_line.ts';
import { load } from '../../driver/load.ts';
import type { AgentPolicy, WorkflowFile } from '../../../frontend/ast.ts';
import type { Source } from '../../../frontend/diagnostics/source.ts';
import type { Io } from '../../output/io.ts';
import { agentPolicies, denyingWorkflows } from './agent_policy.ts';

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
