import type { Options } from '../../command_line/parse.ts';
import { load } from '../../driver/load.ts';
import type { AgentPolicy } from '../../frontend/ast.ts';
import type { Io } from '../../output/io.ts';
import { messageLines } from '../../output/messages/message_lines.ts';
import { listEntry, type ListEntry } from '../../output/workflow_table.ts';
import { failure, type Result } from '../../result.ts';
import type { PolicySinceStart } from './policy_since_start.ts';

/** A workflow of a file, and whether an agent may run it. */
export type AgentWorkflow = Omit<ListEntry, 'agents'> & Readonly<{ agents: AgentPolicy }>;

/** The workflows of a file in its order, as the file is now. Works for files with invalid calls. */
export async function agentWorkflows(
  io: Io,
  options: Options,
  policies: PolicySinceStart,
): Promise<Result<readonly AgentWorkflow[]>> {
  const loaded = await load(io, options);
  if (!loaded.ok) return failure(...loaded.problems.flatMap(messageLines));
  const { file, source } = loaded.value;
  if (file === undefined) return failure(...messageLines({ ...loaded.value, kind: 'diagnostics' }));
  const policyOf = policies.of({ file, source });
  return {
    ok: true,
    value: [...file.workflows].map((each) => Object.assign(listEntry(each), { agents: policyOf(each[0]) })),
  };
}
