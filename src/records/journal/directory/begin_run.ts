import { readdirSync } from 'node:fs';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { failure, type Result } from '../../../base/result.ts';
import type { Session } from '../journal.ts';
import type { SessionHeader } from '../record.ts';
import { createRunId, isRunId, timeAfter } from '../run_id.ts';
import { beginSession } from './begin_session.ts';
import { addEntry, removeEntry, withEntry, type Trust } from './entries.ts';
import { openForRecording, type RunsDirectory } from './runs_directory.ts';

/** A new run. `isOwn`: it has an entry. `earlier` are the other runs in the directory. */
type BegunRun = Readonly<{ run: string; session: Session; isOwn: boolean; earlier: readonly string[] }>;

/** Two runs may begin in the same millisecond and get the same random characters. */
const ATTEMPTS = 5;

/** An id for a new run in a directory, which is higher than that of this user's newest run there. */
export function newRunId(directory: RunsDirectory, trust: Trust): string {
  const names = trySystemCall(() => readdirSync(directory.path));
  const earlier = typeof names === 'string' ? [] : names.filter(isRunId);
  return createRunId(new Date(timeOfId(Date.now(), earlier, trust)), Math.random);
}

/**
 * Begins the first session of a new run. Its id is the chosen one, or higher than that of this user's newest run in the
 * directory.
 */
export function beginRun(
  directory: RunsDirectory,
  trust: Trust,
  headerOf: (run: string, key: string | undefined, now: number) => SessionHeader,
  chosen?: string,
): Result<BegunRun> {
  const opened = trySystemCall(() => openForRecording(directory));
  if (typeof opened === 'string') return failure(opened);
  if (!opened.ok) return opened;
  const earlier = opened.value.filter(isRunId);
  for (let attempts = 0; attempts < (chosen === undefined ? ATTEMPTS : 1); attempts += 1) {
    const now = Date.now();
    const run = chosen ?? createRunId(new Date(timeOfId(now, earlier, trust)), Math.random);
    const added = addEntry(trust.entries, run);
    if (added.kind === 'taken') continue;
    const isOwn = added.kind === 'added';
    const header = headerOf(run, isOwn ? added.key : undefined, now);
    const begun = beginSession(directory.path, header, isOwn ? trust.entries : undefined);
    if (begun.kind === 'begun') return { ok: true, value: { run, session: begun.session, isOwn, earlier } };
    if (isOwn) removeEntry(trust.entries, run);
    if (begun.kind === 'failed') return failure(begun.problem);
  }
  return failure(chosen === undefined ? 'every id is taken' : `the id ${chosen} is taken`);
}

/** The end of the year 9999, in milliseconds since 1970. Later times have other ids. */
const END_OF_TIME = 253_402_300_800_000;

/** The time of a new id: now, or just after the newest run if the clock was set back since. */
function timeOfId(now: number, earlier: readonly string[], trust: Trust): number {
  const lowest = createRunId(new Date(now), () => 0);
  const later = withEntry(
    trust,
    earlier.filter((run) => run >= lowest),
  );
  const times = later.map(timeAfter).filter((time) => time < END_OF_TIME);
  return times.reduce((latest, time) => Math.max(latest, time), now);
}
