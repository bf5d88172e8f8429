import { endOf, type RecordedRun } from './journal.ts';
import type { FinishRecord } from './record.ts';

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
export type Wait = Readonly<{ question: string } | { waits_for: Readonly<{ lock: string; run: string | null }> }>;

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
