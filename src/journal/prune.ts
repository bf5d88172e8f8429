import { livenessOf, type Holder, type StartOf } from './holder.ts';
import type { Journal, RecordedRun } from './journal.ts';

/**
 * Removes all runs but the `keep` newest, and gives the ids of those that it has removed. A run stays that goes on, or
 * that may: its process cannot be seen from here, or its journal does not say which it is.
 */
export function prune(journal: Journal, keep: number, here: Holder, startOf: StartOf): readonly string[] {
  const ids = journal.runs();
  return ids.slice(0, Math.max(0, ids.length - keep)).filter((id) => {
    const run = journal.read(id);
    return run !== undefined && isOver(run, here, startOf) && journal.remove(run) === undefined;
  });
}

function isOver({ sessions, damage }: RecordedRun, here: Holder, startOf: StartOf): boolean {
  const last = sessions.at(-1);
  // A damaged file has its header among the sessions, if that can be read.
  if (last === undefined || (damage !== null && damage.line === 1)) return false;
  const isFinished = last.records.some(({ kind }) => kind === 'finish');
  return isFinished || livenessOf(last.header, here, startOf) === 'dead';
}
