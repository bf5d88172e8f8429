import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { failure, type Result } from '../../../base/result.ts';
import { doneUnless } from './done_unless.ts';
import { isOwn, OWNER_ONLY, PERMISSIONS } from './entries.ts';

/** The directory of all runs. One that the user has named with `CLI_RUNS_DIR` is used as it is. */
export type RunsDirectory = Readonly<{ path: string; isNamed: boolean }>;

const IGNORE_FILE = '.gitignore';

/** The names in the directory in which a run is recorded. Another user can have put a default directory there. */
export function openForRecording({ path, isNamed }: RunsDirectory): Result<readonly string[]> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const problem = stats === undefined || isNamed ? undefined : problemOf(path, stats);
  if (problem !== undefined) return failure(problem);
  // The system's message for a file is that of creating a directory in it.
  if (stats === undefined || !(isNamed || stats.isDirectory())) return { ok: true, value: [] };
  if (!isNamed && (stats.mode & PERMISSIONS) !== OWNER_ONLY) chmodSync(path, OWNER_ONLY);
  const names = readdirSync(path);
  if (!isNamed && !names.includes(IGNORE_FILE)) ignoreAll(path);
  return { ok: true, value: names };
}

/** The reason why records in a directory are not read; undefined if they are. */
export function readingProblem({ path, isNamed }: RunsDirectory): string | undefined {
  const stats = isNamed ? '' : trySystemCall(() => lstatSync(path));
  return typeof stats !== 'string' && stats.isSymbolicLink() ? problemOf(path, stats) : undefined;
}

function problemOf(path: string, stats: Stats): string | undefined {
  const advice = 'to use it or another directory, set CLI_RUNS_DIR';
  if (stats.isSymbolicLink()) return `${path} is a symbolic link, which is not followed (${advice})`;
  return isOwn(stats) ? undefined : `${path} belongs to another user (${advice})`;
}

/** Creates the directory of all runs, with a `.gitignore` that ignores everything in it. */
export function makeRunsDirectory(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (doneUnless('EEXIST', () => mkdirSync(path, { mode: OWNER_ONLY }))) ignoreAll(path);
}

function ignoreAll(path: string): void {
  doneUnless('EEXIST', () => writeFileSync(join(path, IGNORE_FILE), '*\n', { flag: 'wx', mode: 0o600 }));
}
