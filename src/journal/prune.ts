import { directoryJournal } from './directory/directory_journal.ts';
import { livenessOf, startOf, thisProcess, type Holder, type StartOf } from './holder.ts';
import type { RecordedRun } from './journal.ts';

/**
 * Removes all runs of a directory except the `keep` newest, and returns the ids of the removed runs. Keeps runs that are
 * still running or may be: their process is not visible from here, or their journal does not identify it.
 */
export function pruneRuns(
  directory: string,
  keep: number,
  here: Holder = thisProcess(),
  startTime: StartOf = startOf,
): readonly string[] {
  const journal = directoryJournal(directory);
  const ids = journal.runs();
  return ids.slice(0, Math.max(0, ids.length - keep)).filter((id) => {
    const run = journal.read(id);
    return run !== undefined && isOver(run, here, startTime) && journal.remove(run) === undefined;
  });
}

function isOver({ sessions, damage }: RecordedRun, here: Holder, startTime: StartOf): boolean {
  const last = sessions.at(-1);
  // The header of a damaged session is in `sessions` if it is readable.
  if (last === undefined || (damage !== null && damage.line === 1)) return false;
  const isFinished = last.records.some(({ kind }) => kind === 'finish');
  return isFinished || livenessOf(last.header, here, startTime) === 'dead';
}
