import {
  closeSync,
  fdatasyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  close,
  constants,
  fsync,
  open,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { systemMessage, trySystemCall } from '../../../backend/system/try_system_call.ts';
import { write } from '../../../backend/system/write.ts';
import { doneUnless } from './done_unless.ts';
import { DirectorySession, sessionName } from './directory_session.ts';
import type { Begun } from '../journal.ts';
import type { SessionHeader } from '../record.ts';
import { makeRunsDirectory } from './runs_directory.ts';

const { O_RDONLY, O_DIRECTORY } = constants;

/**
 * Syncs directories, and so the names in them, to disk in the background. A file system that cannot sync a directory
 * either writes names in order or makes no guarantee.
 */
function syncDirectories(directories: readonly string[]): void {
  for (const directory of directories) {
    open(directory, O_RDONLY | O_DIRECTORY, (failure, descriptor) => {
      if (failure !== null) return;
      fsync(descriptor, () => close(descriptor));
    });
  }
}

/**
 * Begins a session in the directory of all runs. `entries` is the directory of entries, if the run has one. Separate from
 * the code that reads journals, which a new run does not load.
 */
export function beginSession(directory: string, header: SessionHeader, entries?: string): Begun {
  try {
    return tryToBegin(directory, header, entries);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { kind: 'failed', problem: `${systemMessage(error)}${'path' in error ? ` (${String(error.path)})` : ''}` };
  }
}

/**
 * Writes the header to a temporary file and, once it is on disk, links the file to the session's name. The session file
 * therefore exists complete or not at all, or empty for a moment, and of several processes one gets the name.
 */
function tryToBegin(directory: string, header: SessionHeader, entries: string | undefined): Begun {
  const { run, session } = header;
  const own = join(directory, run);
  if (session === 1 && !isRunMade(directory, own)) return { kind: 'taken' };
  const temporary = join(own, `.${sessionName(session)}.${header.pid}`);
  const descriptor = openSync(temporary, 'ax', 0o600);
  const abandon = (): void => {
    closeSync(descriptor);
    trySystemCall(() => unlinkSync(temporary));
    if (session === 1) trySystemCall(() => rmdirSync(own));
  };
  try {
    const problem = write(descriptor, [`${JSON.stringify(header)}\n`]);
    if (problem !== undefined) {
      abandon();
      return { kind: 'failed', problem };
    }
    fdatasyncSync(descriptor);
    if (!isNamed(temporary, join(own, sessionName(session)))) {
      abandon();
      return { kind: 'taken' };
    }
  } catch (error) {
    abandon();
    throw error;
  }
  trySystemCall(() => unlinkSync(temporary));
  // Runs during the first command. Until it completes, a power failure may remove the whole run from the journal.
  syncDirectories([
    own,
    ...(session === 1 ? [directory, dirname(directory)] : []),
    ...(entries === undefined ? [] : [entries]),
  ]);
  return { kind: 'begun', session: new DirectorySession(own, session, descriptor) };
}

/**
 * Gives a complete file the name of its session. Returns false if the name is taken. Some file systems have no links: an
 * empty file then holds the name until the complete one replaces it.
 */
function isNamed(temporary: string, name: string): boolean {
  try {
    return doneUnless('EEXIST', () => linkSync(temporary, name));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && NO_LINKS.has(String(error.code)))) throw error;
    if (!doneUnless('EEXIST', () => closeSync(openSync(name, 'wx', 0o600)))) return false;
    renameSync(temporary, name);
    return true;
  }
}

/** The errors of link(2) on a file system without links. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** Creates the directory of a run, and the directory of all runs if it is missing. Returns false if the run exists. */
function isRunMade(directory: string, own: string): boolean {
  const make = (): boolean => doneUnless('EEXIST', () => mkdirSync(own, { mode: 0o700 }));
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    makeRunsDirectory(directory);
    return make();
  }
}
