import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, readSync } from 'node:fs';
import { statSync, symlinkSync, unlinkSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { doneUnless } from './done_unless.ts';

/*
 * For each run that this user records on this machine, an entry outside of the directory of records: a symbolic link
 * with the id of the run as its name, and a random key as its text. The record contains the key, too. A record of other
 * origin, such as one that came with a repository, has no entry, or not this key.
 */

/** Length of a key in bytes. */
const KEY_BYTES = 16;

/** The permission bits of a mode, and those of a directory that only its owner can use. */
export const [PERMISSIONS, OWNER_ONLY] = [0o777, 0o700];

/** The result of adding an entry. `taken`: another run has the id. `none`: the directory cannot be written. */
export type AddedEntry = Readonly<{ kind: 'added'; key: string } | { kind: 'taken' } | { kind: 'none' }>;

/** The environment of the tool. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The directory of the entries of runs, or of directories for the state of steps; undefined if the environment names none. */
export function stateDirectory(env: Environment, of: 'runs' | 'state'): string | undefined {
  const given = env['XDG_STATE_HOME'];
  const home = env['HOME'];
  const state = given || (home ? join(home, '.local/state') : '');
  return isAbsolute(state) ? join(state, 'workflow-plan', of) : undefined;
}

/** Adds the entry of a run. */
export function addEntry(directory: string | undefined, run: string): AddedEntry {
  if (directory === undefined) return { kind: 'none' };
  const added = trySystemCall((): AddedEntry => {
    const key = isMadePrivate(directory) ? randomKey() : undefined;
    if (key === undefined) return { kind: 'none' };
    const isAdded = doneUnless('EEXIST', () => symlinkSync(key, join(directory, run)));
    return isAdded ? { kind: 'added', key } : { kind: 'taken' };
  });
  return typeof added === 'string' ? { kind: 'none' } : added;
}

/** Removes the entry of a run, if there is one. */
export function removeEntry(directory: string | undefined, run: string): void {
  if (directory !== undefined) trySystemCall(() => unlinkSync(join(directory, run)));
}

/** The records that count as this user's: those with an entry in a directory, or all. */
export type Trust = Readonly<{ entries: string | undefined; all: boolean }>;

/** The runs that may be this user's. Only the key of a record shows whether it is. */
export function withEntry({ entries, all }: Trust, runs: readonly string[]): readonly string[] {
  if (all || runs.length === 0) return runs;
  const own = new Set(entries === undefined ? [] : entryNames(entries));
  return runs.filter((run) => own.has(run));
}

/** The names in the directory of entries, if it belongs to this user. */
export function entryNames(directory: string): readonly string[] {
  const names = trySystemCall(() => (isOwn(statSync(directory)) ? readdirSync(directory) : []));
  return typeof names === 'string' ? [] : names;
}

/** Whether a directory, which is created if it is missing, belongs to this user. Makes it inaccessible to others. */
function isMadePrivate(directory: string): boolean {
  let stats = statSync(directory, { throwIfNoEntry: false });
  if (stats === undefined) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    stats = statSync(directory);
  }
  if (!isOwn(stats)) return false;
  if ((stats.mode & PERMISSIONS) !== OWNER_ONLY) chmodSync(directory, OWNER_ONLY);
  return true;
}

/** Whether a file belongs to this user. Without user ids, as on Windows, each file does. */
export function isOwn({ uid }: Readonly<{ uid: number }>): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/** A random key. `node:crypto` would take longer to load than all else that the record of a run needs. */
function randomKey(): string | undefined {
  const descriptor = openSync('/dev/urandom', 'r');
  const bytes = Buffer.alloc(KEY_BYTES);
  const length = readSync(descriptor, bytes);
  closeSync(descriptor);
  return length === KEY_BYTES ? bytes.toString('hex') : undefined;
}
