import { endOf, type RecordedRun } from './journal.ts';
import type { FinishRecord } from './record.ts';

/**
 * The state of a run. `stopped`: a selected part succeeded. `lost`: the journal is incomplete. `unclear`: the process
 * is not visible from here.
 */
export type RunState =
  | 'running'
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

/** The state of a run after its last session. */
export function runState({ sessions, lost, damage, holder }: RecordedRun): RunState {
  // A run that is still running is left alone, even if its journal is damaged.
  if (holder === 'alive') return 'running';
  if (holder === 'unclear' && !lost && damage === null) return 'unclear';
  if (damage !== null) return 'damaged';
  if (lost) return 'lost';
  const last = sessions.at(-1);
  return stateAfter(last && endOf(last));
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
