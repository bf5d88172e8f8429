import { closeSync, fdatasyncSync, fstatSync, openSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { write } from '../../backend/system/write.ts';
import type { Session } from '../journal.ts';
import type { SessionRecord } from '../record.ts';

/** The file of a session, in the folder of its run. */
export function sessionName(session: number): string {
  return `session-${session}.ndjson`;
}

/** What the file of a session is called once it has been given up. */
export function lostName(session: number): string {
  return `session-${session}.lost`;
}

/** A session whose records go to a file, which `descriptor` has open for appending. */
export class FolderSession implements Session {
  readonly #folder: string;
  readonly #session: number;
  readonly #descriptor: number;

  constructor(folder: string, session: number, descriptor: number) {
    this.#folder = folder;
    this.#session = session;
    this.#descriptor = descriptor;
  }

  append(records: readonly SessionRecord[], durability: 'written' | 'synced'): string | undefined {
    const problem = write(
      this.#descriptor,
      records.map((record) => `${JSON.stringify(record)}\n`),
    );
    if (problem !== undefined || durability === 'written') return problem;
    const synced = trySystemCall(() => {
      fdatasyncSync(this.#descriptor);
      return fstatSync(this.#descriptor).nlink;
    });
    if (typeof synced === 'string') return synced;
    return synced === 0 ? 'its file was deleted' : undefined;
  }

  giveUp(): string | undefined {
    const lost = join(this.#folder, lostName(this.#session));
    const given = trySystemCall(() => {
      // A new name takes no space on the disk. If the file is gone, earlier sessions may still be there.
      const isRenamed = isDone(() => renameSync(join(this.#folder, sessionName(this.#session)), lost));
      return isRenamed || isDone(() => closeSync(openSync(lost, 'wx', 0o600)));
    });
    return typeof given === 'string' ? given : undefined;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** Does something to a file that may not be there any more, or in a folder that may not; whether it was. */
function isDone(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
