import type { SessionHeader } from './record.ts';
import type { Damage, SessionContent } from './session_file.ts';

/**
 * Where runs are recorded: one place for append, read and lock. The local implementation is a folder; a run that is
 * carried out elsewhere has another.
 */
export type Journal = Readonly<{
  /** The ids of all runs, the oldest first. */
  runs: () => readonly string[];
  /** What is recorded of a run; undefined if there is no such run. */
  read: (run: string) => RecordedRun | undefined;
  /**
   * Begins the session of a header: the first one of a run that is new, or the next one of a run. This is the lock: of
   * several that begin the same session, one succeeds.
   */
  begin: (header: SessionHeader) => Begun;
  /** Removes a run that is as it was read, with all that belongs to it; gives the reason if it does not. */
  remove: (run: RecordedRun) => string | undefined;
}>;

/** A session that has begun; or that somebody else has begun it, or the system's words for why it cannot be recorded. */
export type Begun = Readonly<
  { kind: 'begun'; session: Session } | { kind: 'taken' } | { kind: 'failed'; problem: string }
>;

/** The end of a session to which records are added. */
export type Session = Readonly<{
  /**
   * Appends lines of records (see `record.ts`). If they are `synced`, they have reached the disk on return, with all
   * before them. Gives the system's words for the reason if they were not written: then the session has to be given up.
   */
  append: (lines: string, durability: 'written' | 'synced') => string | undefined;
  /**
   * Marks the session as incomplete, so that no resume relies on it. Gives the reason if even that is impossible: then
   * nothing further may happen in the run.
   */
  giveUp: () => string | undefined;
  close: () => void;
}>;

/** What is recorded of a run: its sessions in order, as far as they can be read. `lost`: a session was given up. */
export type RecordedRun = Readonly<{
  id: string;
  sessions: readonly SessionContent[];
  lost: boolean;
  /** Why not all sessions could be read. */
  damage: (Damage & Readonly<{ file: string }>) | null;
}>;

/** The number of the next session of a run. */
export function nextSession({ sessions }: RecordedRun): number {
  return sessions.length + 1;
}
