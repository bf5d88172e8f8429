import type { ReadFile } from '../../driver/load.ts';
import type { AgentPolicy } from '../../../frontend/ast.ts';
import { messageLines } from '../../output/messages/message.ts';
import { listEntry, type ListEntry } from '../../output/workflow_table.ts';
import { failure, type Result } from '../../../base/result.ts';
import type { PolicySinceStart } from './policy_since_start.ts';

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
