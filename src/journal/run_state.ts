import { livenessOf, type Holder, type StartOf } from './holder.ts';
import type { RecordedRun } from './journal.ts';

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

/** The state of a run after its last session. */
export function runState({ sessions, lost, damage }: RecordedRun, here: Holder, startOf: StartOf): RunState {
  const last = sessions.at(-1);
  const ending = last?.records.find((record) => record.kind === 'finish');
  if (last !== undefined && ending === undefined) {
    // A run that is still running is left alone, even if its journal is damaged.
    const liveness = livenessOf(last.header, here, startOf);
    if (liveness === 'alive') return 'running';
    if (liveness === 'unclear' && !lost && damage === null) return 'unclear';
  }
  if (damage !== null) return 'damaged';
  if (lost) return 'lost';
  if (ending?.kind !== 'finish') return 'crashed';
  if (ending.interrupted !== null) return 'interrupted';
  if (!ending.success) return 'failed';
  return ending.whole ? 'succeeded' : 'stopped';
}
