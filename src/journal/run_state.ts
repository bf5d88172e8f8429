import { livenessOf, type Holder, type StartOf } from './holder.ts';
import type { RecordedRun } from './journal.ts';

/**
 * What has become of a run. Stopped: a selected part of it ended well. Lost: its journal is incomplete. Unclear: its
 * process cannot be seen from here.
 */
export type RunState =
  'running' | 'succeeded' | 'failed' | 'interrupted' | 'crashed' | 'stopped' | 'lost' | 'unclear' | 'damaged';

/** The state of a run, as its last session has left it. */
export function runState({ sessions, lost, damage }: RecordedRun, here: Holder, startOf: StartOf): RunState {
  const last = sessions.at(-1);
  const ending = last?.records.find((record) => record.kind === 'finish');
  if (last !== undefined && ending === undefined) {
    // A run that still goes on is not touched, whatever its journal looks like.
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
