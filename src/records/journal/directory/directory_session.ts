import { closeSync, fdatasyncSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { write } from '../../../backend/system/write.ts';
import { doneUnless } from './done_unless.ts';
import type { Session } from '../journal.ts';

/** The name of a session's file in the directory of its run. */
export function sessionName(session: number): string {
  return `session-${session}.ndjson`;
}

/** The name of the file of an abandoned session. */
export function lostName(session: number): string {
  return `session-${session}.lost`;
}

/** Size of the buffer in bytes, and the maximum length of a UTF-16 unit in UTF-8. Longer lines bypass the buffer. */
const [BUFFER_SIZE, MAX_BYTES] = [8192, 3];

/** A session that appends its records to the file open as `descriptor`. */
export class DirectorySession implements Session {
  readonly #directory: string;
  readonly #session: number;
  readonly #descriptor: number;
  /** Reused for all records: a new buffer would be allocated on pages still shared with the process spawned last. */
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_SIZE);

  constructor(directory: string, session: number, descriptor: number) {
    this.#directory = directory;
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
    const lost = join(this.#directory, lostName(this.#session));
    const given = trySystemCall(() => {
      // A rename needs no disk space. If the file is missing, the files of earlier sessions may still exist.
      const isRenamed = doneUnless('ENOENT', () => renameSync(join(this.#directory, sessionName(this.#session)), lost));
      return isRenamed || doneUnless('ENOENT', () => closeSync(openSync(lost, 'wx', 0o600)));
    });
    return typeof given === 'string' ? given : undefined;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
