import type { HolderState } from './holder/holder.ts';
import type { FinishRecord, SessionHeader } from './record.ts';
import type { Damage, SessionContent } from './session_file.ts';

/**
 * The state of a run. `waiting`: for the answer to a question, or for a lock. `stopped`: a selected part succeeded. `lost`: the journal
 * is incomplete. `unclear`: the process is not visible from here.
 */
export type RunState =
  | 'running'
  | 'waiting'
  | 'succeeded'
  | 'failed'
  | 'interrupted'
  | 'crashed'
  | 'stopped'
  | 'lost'
  | 'unclear'
  | 'damaged';

/** The states in which a run can be resumed. `cancelled` and `broken` are those of workers. */
export const RESUMABLE: ReadonlySet<string> = new Set<RunState | 'cancelled' | 'broken'>([
  'failed',
  'interrupted',
  'crashed',
  'stopped',
  'cancelled',
  'broken',
]);

/** The states of a run that ended by itself, without success. `broken` is that of workers. */
export const FAILED: ReadonlySet<string> = new Set<RunState | 'broken'>(['failed', 'crashed', 'broken']);

/** The state of a run after its last session. */
export function runState(run: RecordedRun): RunState {
  const { sessions, lost, damage, holder } = run;
  // A run that is still running is left alone, even if its journal is damaged.
  if (holder === 'alive') return waitOf(run) === undefined ? 'running' : 'waiting';
  if (holder === 'unclear' && !lost && damage === null) return 'unclear';
  if (damage !== null) return 'damaged';
  if (lost) return 'lost';
  const last = sessions.at(-1);
  return stateAfter(last && endOf(last));
}

/** The question whose answer a run waits for, or the lock, with the run that holds it. */
type Wait = Readonly<{ question: string } | { waits_for: Readonly<{ lock: string; run: string | null }> }>;

/** The lock or the question of a waiting run; undefined if it does not wait. */
export function waitOf({ sessions, holder }: RecordedRun): Wait | undefined {
  const last = holder === 'alive' ? sessions.at(-1)?.records.at(-1) : undefined;
  if (last?.kind === 'asked') return { question: last.question };
  return last?.kind === 'waits' ? { waits_for: { lock: last.lock, run: last.run } } : undefined;
}

/** The state after the end of a session. */
export function stateAfter(
  ending: FinishRecord | undefined,
): 'crashed' | 'interrupted' | 'failed' | 'succeeded' | 'stopped' {
  if (ending === undefined) return 'crashed';
  if (ending.interrupted !== null) return 'interrupted';
  if (!ending.success) return 'failed';
  return ending.whole ? 'succeeded' : 'stopped';
}

/** Whether `cli resume` continues a run without further flags about its record. */
export function isResumable(run: RecordedRun): boolean {
  return !run.foreign && RESUMABLE.has(runState(run));
}

/** Storage for the records of runs: append, read and lock. Runs on other machines keep their records in a database. */
export type Journal = Readonly<{
  /** The ids of all runs, oldest first. */
  runs: () => readonly string[];
  /** The possible runs of this user among some: the others are certainly foreign, and need not be read. */
  mayBeOwn: (runs: readonly string[]) => readonly string[];
  /** Reads the record of a run. Undefined if there is no such run. */
  read: (run: string) => RecordedRun | undefined;
  /**
   * Begins the session of a header, of a new run or of an existing one. Also the lock: of several processes that begin
   * the same session, one succeeds.
   */
  begin: (header: SessionHeader) => Begun;
  /** Removes a run with all its files, unless it has changed since it was read. Returns the reason on failure. */
  remove: (run: RecordedRun) => string | undefined;
  /** Removes the directories, among the given ones, of runs that were killed before their record existed. */
  clear: (runs: readonly string[]) => void;
}>;

/**
 * The result of beginning a session. `taken`: another process has begun it. `problem` is the system's error message.
 */
export type Begun = Readonly<
  { kind: 'begun'; session: Session } | { kind: 'taken' } | { kind: 'failed'; problem: string }
>;

/** The session that is being recorded. */
export type Session = Readonly<{
  /**
   * Appends lines of records (see `record.ts`). `synced`: on return, these and all earlier lines are on disk. Returns
   * the system's error message on failure; the session must then be abandoned.
   */
  append: (lines: string, durability: 'written' | 'synced') => string | undefined;
  /**
   * Marks the session as incomplete, so that it is never resumed from. Returns the reason on failure; the run must then
   * start no further command.
   */
  giveUp: () => string | undefined;
  close: () => void;
}>;

/**
 * The record of a run: its sessions in order, up to the first unreadable one. `lost`: a session was abandoned.
 * `foreign`: this user on this machine did not write it, so that nothing is started on its word.
 */
export type RecordedRun = Readonly<{
  id: string;
  sessions: readonly SessionContent[];
  lost: boolean;
  foreign: boolean;
  /** The process of the last session while it was read; null if the session has an end, or there is none. */
  holder: HolderState | null;
  /** The reason why not all sessions could be read. */
  damage: (Damage & Readonly<{ file: string }>) | null;
}>;

/** The end of a session; undefined if it was not recorded. */
export function endOf({ records }: Pick<SessionContent, 'records'>): FinishRecord | undefined {
  return records.find((record) => record.kind === 'finish');
}

/** The number of a run's next session. */
export function nextSession({ sessions }: RecordedRun): number {
  return sessions.length + 1;
}
