import { secretNames } from '../../ir/secret_names.ts';
import { plainName, runParams, type Plan } from '../../ir/plan.ts';
import { VERSION } from '../../base/version.ts';
import { FORMAT_VERSION } from './format_version.ts';
import { headCommit } from './head_commit.ts';
import { thisProcess } from './holder/holder.ts';
import type { SessionHeader } from './record.ts';

/** Description of a session. `from` and `until` select a part of the workflow. `at` is in milliseconds since 1970. */
export type SessionInfo = Readonly<{ run: string; session: number; plan: Plan; at: number }> &
  Pick<SessionHeader, 'key' | 'file' | 'cwd' | 'caller' | 'args' | 'from' | 'until' | 'marker' | 'agent'>;

/** The header of a session of this process, without the values of secret parameters. */
export function createHeader({ plan, at, ...info }: SessionInfo): SessionHeader {
  const isSecret = secretNames(plan);
  const params = runParams(plan).map(([name, value]) => [name, isSecret(plainName(name)) ? null : value] as const);
  const commit = headCommit(info.cwd);
  const rest = { workflow: plan.workflow, params, ...thisProcess(), at: new Date(at).toISOString() };
  return {
    kind: 'session',
    version: FORMAT_VERSION,
    tool: VERSION,
    ...info,
    ...rest,
    ...(commit !== undefined && { commit }),
  };
}
