import { closeSync, fstatSync, lstatSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openOwn, readWhole } from '../../../backend/system/regular_file.ts';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { parsePlan, type RecordedPlan } from './recorded_plan.ts';
import { logDirectory, logName, MAX_PLAN, planPath } from './file_names.ts';

/*
 * Opens the files of a run beside its sessions, which anybody may have planted: without following a link in the
 * directory of the run, and only regular files.
 */

/** Opens the log of a command. Returns the reason on failure. `runs` is the directory of all runs. */
export function openLog(runs: string, run: string, session: number, command: number): number | string {
  return openIn(join(runs, run), join(logDirectory(runs, run), logName(session, command)));
}

/** The end of the log of a command, of at most `limit` bytes; undefined if there is none. `cut`: the log is longer. */
export function readLogEnd(
  runs: string,
  run: string,
  { session, n }: Readonly<{ session: number; n: number }>,
  limit: number,
): Readonly<{ text: string; cut: boolean }> | undefined {
  const descriptor = openLog(runs, run, session, n);
  if (typeof descriptor === 'string') return undefined;
  const read = trySystemCall(() => {
    const { size } = fstatSync(descriptor);
    const buffer = Buffer.alloc(Math.min(size, limit));
    const length = readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
    return { text: buffer.toString('utf8', 0, length), cut: size > limit };
  });
  closeSync(descriptor);
  return typeof read === 'string' ? undefined : read;
}

/** Reads the plan of a session. Undefined if there is none, or if it is damaged or too large. */
export function readPlan(runs: string, run: string, session: number): RecordedPlan | undefined {
  const text = readWhole(openIn(join(runs, run), planPath(runs, run, session)), MAX_PLAN);
  return typeof text === 'string' ? undefined : parsePlan(text);
}

/** Opens a file below the directory of a run, which must not be reached through a link. */
function openIn(own: string, path: string): number | string {
  for (let directory = dirname(path); directory.startsWith(own); directory = dirname(directory)) {
    const isReal = trySystemCall(() => lstatSync(directory).isDirectory());
    if (isReal !== true) return typeof isReal === 'string' ? isReal : 'it is not in a directory';
  }
  return openOwn(path);
}
