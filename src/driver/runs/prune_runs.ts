import { folderJournal } from '../../journal/folder/folder_journal.ts';
import { startOf, thisProcess } from '../../journal/holder.ts';
import { prune } from '../../journal/prune.ts';

/** Removes all but the newest runs in a folder; returns the ids of those removed. */
export function pruneRuns(folder: string, keep: number): readonly string[] {
  return prune(folderJournal(folder), keep, thisProcess(), startOf);
}
