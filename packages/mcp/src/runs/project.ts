import {
  agentWorkflows,
  createKey,
  load,
  ownCommand,
  PolicySinceStart,
  RecordedRuns,
} from '../../../../src/internal.ts';
import type { AgentWorkflow, Io, Options, ReadFile, Result } from '../../../../src/internal.ts';

/** The project of a server. Of its files, nothing is kept but what the policies need to know of the start. */
export class Project {
  readonly io: Io;
  readonly options: Options;
  readonly key = createKey();
  readonly #policies: PolicySinceStart;

  private constructor(io: Io, options: Options, policies: PolicySinceStart) {
    this.io = io;
    this.options = options;
    this.#policies = policies;
  }

  static async open(io: Io, options: Options): Promise<Project> {
    return new Project(io, options, await PolicySinceStart.read(io, options));
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
  runs(): Result<RecordedRuns> {
    return RecordedRuns.open(this.io, { directory: process.cwd(), readOnly: false }, ownCommand());
  }
}
