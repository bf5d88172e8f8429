import { closeSync, fdatasyncSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { write } from '../../backend/system/write.ts';
import type { Session } from '../journal.ts';

/** The file of a session, in the folder of its run. */
export function sessionName(session: number): string {
  return `session-${session}.ndjson`;
}

/** What the file of a session is called once it has been given up. */
export function lostName(session: number): string {
  return `session-${session}.lost`;
}

/** Longer lines are written in another way. A UTF-16 unit takes at most three bytes. */
const [BUFFER_SIZE, MAX_BYTES] = [8192, 3];

/** A session whose records go to a file, which `descriptor` has open for appending. */
export class FolderSession implements Session {
  readonly #folder: string;
  readonly #session: number;
  readonly #descriptor: number;
  /** Used for each record, because a new one would be memory that the last process still shares. */
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_SIZE);

  constructor(folder: string, session: number, descriptor: number) {
    this.#folder = folder;
    this.#session = session;
    this.#descriptor = descriptor;
  }

  append(lines: string, durability: 'written' | 'synced'): string | undefined {
    const problem = this.#write(lines);
    if (problem !== undefined || durability === 'written') return problem;
    const synced = trySystemCall(() => {
      fdatasyncSync(this.#descriptor);
      return fstatSync(this.#descriptor).nlink;
    });
    if (typeof synced === 'string') return synced;
    return synced === 0 ? 'its file was deleted' : undefined;
  }

  #write(lines: string): string | undefined {
    if (lines.length > BUFFER_SIZE / MAX_BYTES) return write(this.#descriptor, [lines]);
    const length = this.#buffer.write(lines);
    return trySystemCall(() => {
      for (let done = 0; done < length;) done += writeSync(this.#descriptor, this.#buffer, done, length - done);
      return undefined;
    });
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
