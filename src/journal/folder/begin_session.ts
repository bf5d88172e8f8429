import { closeSync, fdatasyncSync, linkSync, mkdirSync, openSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { write } from '../../backend/system/write.ts';
import { FolderSession, sessionName } from './folder_session.ts';
import type { Begun } from '../journal.ts';
import type { SessionHeader } from '../record.ts';
import { syncFolders } from './sync_folders.ts';

/** Begins a session in the folder of all runs. Apart from what reads journals, which a new run does not need. */
export function beginSession(folder: string, header: SessionHeader): Begun {
  try {
    return tryToBegin(folder, header);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { kind: 'failed', problem: error.message };
  }
}

/**
 * Writes the header under a name of its own, and links it to the session's name once it has reached the disk: the file
 * is there whole or not at all, and whoever finds the name taken has lost.
 */
function tryToBegin(folder: string, header: SessionHeader): Begun {
  const { run, session } = header;
  const own = join(folder, run);
  if (session === 1) {
    makeFolder(folder);
    if (!isMade(() => mkdirSync(own, { mode: 0o700 }))) return { kind: 'taken' };
  }
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
    if (!isMade(() => linkSync(temporary, join(own, sessionName(session))))) {
      abandon();
      return { kind: 'taken' };
    }
  } catch (error) {
    abandon();
    throw error;
  }
  trySystemCall(() => unlinkSync(temporary));
  // Beside the first command: until they are done, a loss of power may take the whole run out of the journal.
  syncFolders(session === 1 ? [own, folder, dirname(folder)] : [own]);
  return { kind: 'begun', session: new FolderSession(own, session, descriptor) };
}

/** The folder of all runs, of which git takes no notice. */
function makeFolder(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  if (!isMade(() => mkdirSync(folder, { mode: 0o700 }))) return;
  isMade(() => writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }));
}

/** Makes something that may be there already; whether it was not. */
function isMade(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
