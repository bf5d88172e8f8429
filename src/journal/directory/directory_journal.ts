import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { beginSession } from './begin_session.ts';
import { lostName, sessionName } from './directory_session.ts';
import type { Journal, RecordedRun } from '../journal.ts';
import { isRunId } from '../run_id.ts';
import { readSession, type SessionContent } from '../session_file.ts';

/** Prefix of the directory of a run during its removal. A crash may leave such a directory behind. */
const REMOVED = '.removed-';

/**
 * A journal in a directory: `<id>/session-<n>.ndjson` for each session of a run, and `<id>/logs/` for the output of its
 * commands. Only the user can read it. Existing files are never changed or repaired: a new session is a new file.
 */
export function directoryJournal(directory: string): Journal {
  return {
    runs: () => {
      const names = trySystemCall(() => readdirSync(directory));
      return typeof names === 'string' ? [] : names.filter(isRunId).toSorted();
    },
    read: (run) => readRun(directory, run),
    begin: (header) => beginSession(directory, header),
    remove: (run) => trySystemCall(() => remove(directory, run)),
  };
}

function readRun(directory: string, id: string): RecordedRun | undefined {
  const own = join(directory, id);
  const names = trySystemCall(() => readdirSync(own));
  if (typeof names === 'string') return undefined;
  const present = new Set(names);
  const numbers = names.flatMap((name) => /^session-([1-9]\d*)\.(?:ndjson|lost)$/.exec(name)?.[1] ?? []);
  const last = Math.max(0, ...numbers.map(Number));
  const sessions: SessionContent[] = [];
  let lost = false;
  for (let number = 1; number <= last; number += 1) {
    const isLost = present.has(lostName(number));
    lost ||= isLost;
    const file = join(own, isLost ? lostName(number) : sessionName(number));
    const bytes = trySystemCall(() => readFileSync(file));
    const { content, damage } = typeof bytes === 'string' ? { content: null, damage: MISSING } : readSession(bytes);
    if (content !== null) sessions.push(content);
    const isWrong = content !== null && content.header.session !== number;
    // The file of an abandoned session may be empty or incomplete.
    if (!isLost && (damage !== null || isWrong))
      return { id, sessions, lost, damage: { ...(damage ?? MISSING), file } };
  }
  return last === 0 ? undefined : { id, sessions, lost, damage: null };
}

const MISSING = { kind: 'damaged', line: 1 } as const;

/** Removes a run from the journal by renaming its directory, then deletes its files. */
function remove(directory: string, run: RecordedRun): string | undefined {
  const [own, removed] = [join(directory, run.id), join(directory, `${REMOVED}${run.id}`)];
  renameSync(own, removed);
  const sessions = readdirSync(removed).filter((name) => name.startsWith('session-')).length;
  if (sessions !== run.sessions.length && run.damage === null && !run.lost) {
    renameSync(removed, own);
    return 'it is being resumed';
  }
  for (const name of readdirSync(directory)) {
    if (name.startsWith(REMOVED)) rmSync(join(directory, name), { recursive: true, force: true });
  }
  return undefined;
}
