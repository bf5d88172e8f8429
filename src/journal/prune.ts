import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { trySystemCall } from '../backend/system/try_system_call.ts';
import { directoryJournal } from './directory/directory_journal.ts';
import { entryNames, type Trust } from './directory/entries.ts';
import type { RunsDirectory } from './directory/runs_directory.ts';
import { endOf, type Journal, type RecordedRun } from './journal.ts';
import { createRunId, isRunId } from './run_id.ts';

/** The maximum number of records that a run removes, and reads to do so: of the oldest, and of any others. */
const [MAX_REMOVED, MAX_OLDEST, MAX_OTHERS] = [20, 40, 40];

/** The age of entries whose records are taken for gone, in milliseconds: a year. */
const MAX_AGE = 366 * 24 * 60 * 60 * 1000;

/**
 * Removes all runs of a directory except the `keep` newest, and returns the ids of the removed runs. Keeps runs that are
 * still running or may be: their process is not visible from here, or their journal does not identify it.
 */
export function pruneRuns(journal: Journal, keep: number): readonly string[] {
  journal.clear();
  return oldest(journal.runs(), keep).filter((id) => {
    const run = journal.read(id);
    return run !== undefined && isRemoved(journal, run);
  });
}

/** After a new run, removes the oldest of this user's runs beyond `keep`. Foreign records are not read. */
export function removeOldest(
  { path }: RunsDirectory,
  trust: Trust,
  runs: readonly string[],
  keep: number,
  random: () => number = Math.random,
): void {
  removeOldEntries(trust, Date.now());
  if (runs.length <= keep) return;
  const journal = directoryJournal(path, trust);
  journal.clear();
  let removed = 0;
  for (const id of chosen(oldest(journal.mayBeOwn(runs.toSorted()), keep), random)) {
    const run = removed < MAX_REMOVED ? journal.read(id) : undefined;
    if (run !== undefined && !run.foreign && isRemoved(journal, run)) removed += 1;
  }
}

/** The oldest of some runs, and others at random: the oldest may be those that are never removed. */
function chosen(ids: readonly string[], random: () => number): readonly string[] {
  const others = ids.slice(MAX_OLDEST);
  const from = Math.floor(random() * others.length);
  const turned = [...others.slice(from), ...others.slice(0, from)];
  return [...ids.slice(0, MAX_OLDEST), ...turned.slice(0, MAX_OTHERS)];
}

/** Removes the entries of runs that began more than a year ago. */
export function removeOldEntries({ entries }: Trust, now: number): void {
  if (entries === undefined) return;
  const limit = createRunId(new Date(now - MAX_AGE), () => 0);
  for (const name of entryNames(entries))
    if (isRunId(name) && name < limit) trySystemCall(() => unlinkSync(join(entries, name)));
}

function oldest(ids: readonly string[], keep: number): readonly string[] {
  return ids.slice(0, Math.max(0, ids.length - keep));
}

/** Removes a run, unless it is still running or may be. */
function isRemoved(journal: Journal, run: RecordedRun): boolean {
  return isOver(run) && journal.remove(run) === undefined;
}

function isOver({ sessions, damage, foreign, holder }: RecordedRun): boolean {
  const last = sessions.at(-1);
  // The header of a damaged session is in `sessions` if it is readable.
  if (last === undefined || (damage !== null && damage.line === 1)) return foreign;
  return endOf(last) !== undefined || holder === 'dead';
}
