import {
  agentWorkflows,
  createKey,
  load,
  ownCommand,
  PolicySinceStart,
  RecordedRuns,
} from '../../../../src/internal.ts';
import type { AgentWorkflow, Io, Options, ReadFile, Result } from '../../../../src/internal.ts';
import { Approvals } from '../approval/approvals.ts';
import { toolError, type ToolResult } from '../results/tool_result.ts';
import { GoingRuns } from './going_runs.ts';

/**
 * The project of a server, with the runs that it has started and the questions that it has asked. Of the files, nothing
 * is kept but what the policies need to know of the start.
 */
export class Project {
  readonly io: Io;
  readonly options: Options;
  readonly key = createKey();
  readonly going: GoingRuns;
  readonly approvals: Approvals;
  readonly #policies: PolicySinceStart;

  private constructor(io: Io, options: Options, now: () => number, policies: PolicySinceStart) {
    this.io = io;
    this.options = options;
    this.going = new GoingRuns(io, this.key);
    this.approvals = new Approvals(now);
    this.#policies = policies;
  }

  /** Opens a project as its files are at the start of the server. `now` is the time in milliseconds since 1970. */
  static async open(io: Io, options: Options, now: () => number): Promise<Project> {
    return new Project(io, options, now, await PolicySinceStart.read(io, options));
  }

  /** The path of the workflow file. */
  get file(): string {
    return this.options.file;
  }

  /** Reads its files. Policies and plans of one read are of the same bytes. */
  read(): Promise<ReadFile> {
    return load(this.io, this.options);
  }

  /** The workflows of its files, denied ones too. */
  workflows(read: ReadFile): Result<readonly AgentWorkflow[]> {
    return agentWorkflows(read, this.#policies);
  }

  /** The records of its runs. */
  runs(): RecordedRuns | ToolResult {
    const opened = RecordedRuns.open(this.io, { directory: process.cwd(), readOnly: false }, ownCommand());
    return opened.ok ? opened.value : toolError('invalid', opened.problems);
  }
}
