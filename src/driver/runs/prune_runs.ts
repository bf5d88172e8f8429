import { directoryJournal } from '../../journal/directory/directory_journal.ts';
import { startOf, thisProcess } from '../../journal/holder.ts';
import { prune } from '../../journal/prune.ts';

/** Removes all except the newest runs of a directory. Returns the ids of the removed runs. */
export function pruneRuns(directory: string, keep: number): readonly string[] {
  return prune(directoryJournal(directory), keep, thisProcess(), startOf);
}
