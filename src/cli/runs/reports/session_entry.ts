import { userInfo } from 'node:os';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import type { RecordedRun } from '../../../records/journal/journal.ts';
import { MASK } from '../../../ir/secrets.ts';
import type { SessionHeader } from '../../../records/journal/record.ts';

/** A session in the history of a run. `reason`: its first failure; null without one. `text` is the entry as a line. */
export type SessionEntry = Readonly<{ session: number; start: string; state: string; user: string | null }> &
  Readonly<{
    uid: number | null;
    host: string;
    params: Readonly<Record<string, string>>;
    reason: string | null;
    text: string;
  }>;

/** The entry of a session with its state and its first failure. */
export function sessionEntry(
  { header }: RecordedRun['sessions'][number],
  state: string,
  reason: string | null,
): SessionEntry {
  const { session, at: start, uid, host } = header;
  const params = shownParams(header);
  const user = uid === null ? null : userName(uid);
  const by = `by ${user ?? uid ?? 'an unknown user'} on ${host}`;
  const given = Object.entries(params).map(([name, value]) => ` ${name}=${value}`);
  const why = reason === null ? '' : ` (${reason})`;
  const text = `${start.slice(0, 19).replace('T', ' ')} UTC ${by}: ${state}${why}${given.join('')}`;
  return { session, start, state, user, uid, host, params, reason, text };
}

/** The recorded parameters of a session, with secret values masked. */
export function shownParams(header: Pick<SessionHeader, 'params'> | undefined): Record<string, string> {
  // No prototype, so that `__proto__` is an ordinary name.
  const params: Record<string, string> = Object.create(null);
  for (const [name, value] of header?.params ?? []) params[name] = value ?? MASK;
  return params;
}

/** The name of a user of this machine; null if it is not known. */
function userName(uid: number): string | null {
  const own = trySystemCall(() => userInfo());
  return typeof own !== 'string' && own.uid === uid ? own.username : null;
}
