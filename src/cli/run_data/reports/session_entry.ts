import { userInfo } from 'node:os';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import type { RecordedRun } from '../../../records/journal/journal.ts';
import { MASK } from '../../../ir/secret_names.ts';
import type { SessionHeader } from '../../../records/journal/record.ts';

/**
 * The first failure of a session, null without one, and its time in milliseconds: `offset_ms` is that of the sessions before
 * it.
 */
export type SessionSpan = Readonly<{ reason: string | null; offset_ms: number; duration_ms: number }>;

/** The span of a session without records. */
export const NO_SPAN: SessionSpan = { reason: null, offset_ms: 0, duration_ms: 0 };

/** A session in the history of a run. `text` is the entry as a line. */
export type SessionEntry = SessionSpan &
  Readonly<{ session: number; start: string; state: string; user: string | null; uid: number | null }> &
  Readonly<{ host: string; params: Readonly<Record<string, string>>; text: string }>;

/** The entry of a session with its state and its first failure. */
export function sessionEntry(
  { header }: RecordedRun['sessions'][number],
  state: string,
  span: SessionSpan,
): SessionEntry {
  const { session, at: start, uid, host } = header;
  const params = shownParams(header);
  const user = uid === null ? null : userName(uid);
  const by = `by ${user ?? uid ?? 'an unknown user'} on ${host}`;
  const given = Object.entries(params).map(([name, value]) => ` ${name}=${value}`);
  const why = span.reason === null ? '' : ` (${span.reason})`;
  const text = `${start.slice(0, 19).replace('T', ' ')} UTC ${by}: ${state}${why}${given.join('')}`;
  return { session, start, state, user, uid, host, params, ...span, text };
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
