import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_LOGS, removeLog } from '../../backend/outputs/logs/stored_logs.ts';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { directoryJournal } from './directory/directory_journal.ts';
import { entryNames, type Trust } from './directory/entries.ts';
import { logDirectory } from './directory/file_names.ts';
import type { RunsDirectory } from './directory/runs_directory.ts';
import { endOf, type Journal, type RecordedRun, isResumable, runState } from './journal.ts';
import type { SessionHeader } from './record.ts';
import { createRunId, isRunId } from './run_id.ts';

/** The maximum number of records that a run removes, and reads to do so: of the oldest, of any others, and of newer ones. */
const [MAX_REMOVED, MAX_OLDEST, MAX_OTHERS, MAX_NEWER] = [20, 40, 30, 20];

const DAY = 24 * 60 * 60 * 1000;

/** The age of entries whose records are taken for gone, in milliseconds: a year. */
const MAX_AGE = 366 * DAY;

/** The time for which a run that can be resumed stays, whatever the number of newer ones, in milliseconds. */
const MAX_RESUMABLE_AGE = 90 * DAY;

/** The ids of removed runs, and a line about each of them that could be resumed. */
export type Pruned = Readonly<{ removed: readonly string[]; lost: readonly string[] }>;

/**
 * Removes all runs of a directory except the `keep` newest. Keeps runs that are still running or may be: their process
 * is not visible from here, or their journal does not identify it. Unless `keep` is `none`, it also keeps the newest run
 * of each workflow that can be resumed.
 */
export function pruneRuns(journal: Journal, keep: number | 'none', now: number): Pruned {
  journal.clear(journal.runs());
  const ids = journal.runs();
  const pruning = new Pruning(journal, keep === 'none' ? Infinity : now - MAX_RESUMABLE_AGE);
  for (const id of oldest(ids, keep === 'none' ? 0 : keep)) pruning.remove(id);
  return pruning.finish(ids);
}

/** After a new run, removes the oldest of this user's runs beyond `keep`. Foreign records are not read. */
export function removeOldest(
  { path }: RunsDirectory,
  trust: Trust,
  runs: readonly string[],
  keep: number,
  now: number,
  random: () => number = Math.random,
): Pruned['lost'] {
  removeOldEntries(trust, now);
  if (runs.length <= keep) return [];
  const journal = directoryJournal(path, trust);
  const own = journal.mayBeOwn(runs.toSorted());
  const pruning = new Pruning(journal, now - MAX_RESUMABLE_AGE);
  const read = chosen(oldest(own, keep), random);
  journal.clear(read);
  for (const id of read) if (pruning.count < MAX_REMOVED) pruning.remove(id, true);
  return pruning.finish(own, MAX_NEWER).lost;
}

/** The oldest of some runs, and others at random: the oldest may have to stay. */
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
export function isRemoved(journal: Journal, run: RecordedRun): boolean {
  return isOver(run) && journal.remove(run) === undefined;
}

function isOver({ sessions, damage, foreign, holder }: RecordedRun): boolean {
  const last = sessions.at(-1);
  // The header of a damaged session is in `sessions` if it is readable.
  if (last === undefined || (damage !== null && damage.line === 1)) return foreign;
  return endOf(last) !== undefined || holder === 'dead';
}

/** Removes runs. Decides about the resumable ones when all others are known. */
class Pruning {
  readonly #journal: Journal;
  /** Runs before this time are removed also if they can be resumed, in milliseconds since 1970. */
  readonly #limit: number;
  readonly #read = new Set<string>();
  readonly #removed: string[] = [];
  /** The runs that are removed unless they are the newest that can be resumed. */
  readonly #resumable: string[] = [];
  /** The newest runs, by `keysOf`. */
  readonly #newest = new Map<string, string>();

  constructor(journal: Journal, limit: number) {
    this.#journal = journal;
    this.#limit = limit;
  }

  get count(): number {
    return this.#removed.length;
  }

  /** Removes a run at once, or notes that it can be resumed. */
  remove(id: string, isOwnOnly = false): void {
    const run = this.#note(id);
    if (run === undefined || (isOwnOnly && run.foreign)) return;
    if (isResumable(run)) this.#resumable.push(id);
    else if (isRemoved(this.#journal, run)) this.#removed.push(id);
  }

  /** Removes the noted runs that need not be resumed any more. Reads up to `most` of the runs after them. */
  finish(ids: readonly string[], most = Infinity): Pruned {
    const [first] = this.#resumable.toSorted();
    const newer = first === undefined ? [] : ids.filter((id) => id > first && !this.#read.has(id));
    // Of the newest, the own run is one.
    for (const id of newer.length > most ? [...newer.slice(0, most - 1), ...newer.slice(-1)] : newer) this.#note(id);
    const lost = this.#resumable.flatMap((id) => this.#removeResumable(id));
    return { removed: this.#removed.toSorted(), lost };
  }

  /** Removes a run unless it is the newest one to resume. Returns a line about it if there was no success after it. */
  #removeResumable(id: string): readonly string[] {
    const run = this.#journal.read(id);
    const header = run?.sessions.at(-1)?.header;
    if (run === undefined || header === undefined || !isResumable(run)) return [];
    const { succeeded, resumable } = keysOf(header);
    const isNewest = this.#newest.get(resumable) === id;
    const isDone = (this.#newest.get(succeeded) ?? '') > id;
    const isKept = isNewest && !isDone && Date.parse(header.at) >= this.#limit;
    if (isKept || !isRemoved(this.#journal, run)) return [];
    this.#removed.push(id);
    return isDone ? [] : [`removed run ${id} of workflow '${header.workflow}', which could be resumed`];
  }

  #note(id: string): RecordedRun | undefined {
    const run = this.#journal.read(id);
    this.#read.add(id);
    const header = run?.sessions.at(-1)?.header;
    if (run === undefined || run.foreign || header === undefined) return run;
    const { succeeded, resumable } = keysOf(header);
    const key = runState(run) === 'succeeded' ? succeeded : isResumable(run) ? resumable : undefined;
    if (key !== undefined && (this.#newest.get(key) ?? '') < id) this.#newest.set(key, id);
    return run;
  }
}

/** Texts that are equal for runs of one workflow with the same parameters, and for such runs of the same part of it. */
function keysOf({
  file,
  cwd,
  workflow,
  params,
  args,
  from,
  until,
}: SessionHeader): Readonly<{ succeeded: string; resumable: string }> {
  const values = params.map((pair) => JSON.stringify(pair)).toSorted();
  const succeeded = JSON.stringify([file, cwd, workflow, values, args]);
  return { succeeded, resumable: JSON.stringify([succeeded, from, until]) };
}

/** The name of a log. */
const LOG = /^\d+-\d+\.log$/;

/**
 * Removes the oldest logs of a directory of runs until all of them together are small enough. Keeps those of a run, of
 * other users, and of runs that may still be running.
 */
export function limitLogs(path: string, trust: Trust, kept: string, limit = MAX_LOGS): void {
  const journal = directoryJournal(path, trust);
  const logs = journal.runs().map((id) => ({ id, files: logsOf(logDirectory(path, id)) }));
  let total = logs.reduce((sum, { files }) => files.reduce((all, { size }) => all + size, sum), 0);
  for (const { id, files } of logs) {
    if (total <= limit) return;
    const run = id === kept || files.length === 0 ? undefined : journal.read(id);
    if (run === undefined || run.foreign || !isOver(run)) continue;
    for (const file of files) {
      if (total <= limit) return;
      removeLog(file.path);
      total -= file.size;
    }
  }
}

/** The logs in a directory, oldest first. */
function logsOf(directory: string): readonly Readonly<{ path: string; size: number }>[] {
  const names = trySystemCall(() => (lstatSync(directory).isDirectory() ? readdirSync(directory) : []));
  if (typeof names === 'string') return [];
  return names
    .filter((name) => LOG.test(name))
    .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .flatMap((name) => {
      const stats = lstatSync(join(directory, name), { throwIfNoEntry: false });
      return stats?.isFile() === true ? { path: join(directory, name), size: stats.size } : [];
    });
}
