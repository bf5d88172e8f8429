import { lstatSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openOwn, readWhole } from '../../../backend/system/regular_file.ts';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { beginSession } from './begin_session.ts';
import { sessionName } from './directory_session.ts';
import { removeEntry, withEntry, type Trust } from './entries.ts';
import { readRun } from './read_run.ts';
import { holderStates, type HolderState, type HolderStateOf } from '../holder/holder.ts';
import type { Journal, RecordedRun } from '../journal.ts';
import { isRunId } from '../run_id.ts';
import { readSession } from '../session_file.ts';

/** Prefix of the directory of a run during its removal. A crash may leave such a directory behind. */
const REMOVED = '.removed-';

/** The maximum size of a header, in bytes. */
const MAX_HEADER = 16 * 1024 * 1024;

/**
 * A journal in a directory: `<id>/session-<n>.ndjson` for each session of a run, and `<id>/logs/` for the output of its
 * commands. Only the user can read it. Existing files are never changed or repaired: a new session is a new file.
 */
export function directoryJournal(directory: string, trust: Trust, stateOf: HolderStateOf = holderStates()): Journal {
  const runs = (): readonly string[] => {
    const names = trySystemCall(() => readdirSync(directory));
    return typeof names === 'string' ? [] : names.filter(isRunId).toSorted();
  };
  return {
    runs,
    mayBeOwn: (ids) => withEntry(trust, ids),
    read: (run) => readRun(directory, run, trust, stateOf),
    begin: (header) => {
      clearDeadStart(join(directory, header.run), sessionName(header.session), stateOf);
      return beginSession(directory, header);
    },
    remove: (run) => {
      const problem = trySystemCall(() => remove(directory, run));
      if (problem === undefined && !run.foreign) removeEntry(trust.entries, run.id);
      return problem;
    },
    clear: (ids) => {
      for (const run of ids) {
        const isRemoved = trySystemCall(() => isUnbegunRemoved(join(directory, run), stateOf));
        if (isRemoved === true) removeEntry(trust.entries, run);
      }
    },
  };
}

/** The name of a session's file before the session has begun. */
const TEMPORARY = /^\.session-1\.ndjson\.\d+$/;

/** The age of a start that does not name its process from which on it is taken for dead, in milliseconds. */
const DEAD_AGE = 60_000;

/** Removes the directory of a run that has only the temporary file of a dead process. Whoever adds a file meanwhile keeps it. */
function isUnbegunRemoved(own: string, stateOf: HolderStateOf): boolean {
  const names = readdirSync(own);
  const isDead = (path: string): boolean =>
    stateOfStart(path, stateOf) === 'dead' || Date.now() - lstatSync(path).mtimeMs > DEAD_AGE;
  if (!names.every((name) => TEMPORARY.test(name) && isDead(join(own, name)))) return false;
  if (names.length === 0 && !isDead(own)) return false;
  for (const name of names) unlinkSync(join(own, name));
  rmdirSync(own);
  return true;
}

/** The state of the process in the header of a session that has not begun; undefined if there is none. */
function stateOfStart(path: string, stateOf: HolderStateOf): HolderState | undefined {
  const bytes = readWhole(openOwn(path), MAX_HEADER);
  const { content } = readSession(typeof bytes === 'string' ? [] : [bytes]);
  return content === null ? undefined : stateOf(content.header);
}

/**
 * Removes the empty file of a session that a process has begun without completing it, on a file system without links.
 * Its header is in a temporary file. Of several processes, the one that removes that file removes the empty one.
 */
function clearDeadStart(own: string, name: string, stateOf: HolderStateOf): void {
  trySystemCall(() => {
    if (lstatSync(join(own, name), { throwIfNoEntry: false })?.size !== 0) return;
    for (const each of readdirSync(own).filter((each) => each.startsWith(`.${name}.`))) {
      if (stateOfStart(join(own, each), stateOf) !== 'dead') continue;
      unlinkSync(join(own, each));
      unlinkSync(join(own, name));
    }
  });
}

/** Removes a run from the journal by renaming its directory, then deletes its files. */
function remove(directory: string, run: RecordedRun): string | undefined {
  const [own, removed] = [join(directory, run.id), join(directory, `${REMOVED}${run.id}`)];
  renameSync(own, removed);
  if (run.damage === null && !run.lost && sessionsIn(removed) !== run.sessions.length) {
    renameSync(removed, own);
    return 'it is being resumed';
  }
  for (const name of readdirSync(directory)) {
    if (name.startsWith(REMOVED)) rmSync(join(directory, name), { recursive: true, force: true });
  }
  return undefined;
}

/** The number of sessions in the directory of a run. An empty file is none. */
function sessionsIn(own: string): number {
  const names = readdirSync(own).filter((name) => name.startsWith('session-'));
  return names.filter((name) => lstatSync(join(own, name)).size > 0).length;
}
