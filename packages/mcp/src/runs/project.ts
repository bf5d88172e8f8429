import {
  agentWorkflows,
  createKey,
  load,
  ownCommand,
  PolicySinceStart,
  RecordedRuns,
} from '../../../../src/internal.ts';
import type { AgentWorkflow, Io, Options, ReadFile, Result } from '../../../../src/internal.ts';

/** Opens the project of a server. Of its files, nothing is kept but what the policies need to know of the start. */
export async function openProject(io: Io, options: Options) {
  const policies = await PolicySinceStart.read(io, options);
  return {
    io,
    options,
    key: createKey(),
    /** Reads its files. Policies and plans of one read are of the same bytes. */
    read: (): Promise<ReadFile> => load(io, options),
    /** The workflows of its files, denied ones too. */
    workflows: (read: ReadFile): Result<readonly AgentWorkflow[]> => agentWorkflows(read, policies),
    /** The records of its runs. */
    runs: (): Result<RecordedRuns> =>
      RecordedRuns.open(io, { directory: process.cwd(), readOnly: false }, ownCommand()),
  };
}

export type Project = Readonly<Awaited<ReturnType<typeof openProject>>>;
