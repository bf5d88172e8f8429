import { closeSync, lstatSync, mkdirSync, openSync, renameSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { trySystemCall } from '../../system/try_system_call.ts';
import { StoredLog } from './stored_log.ts';
import { MaskedLog } from './masked_log.ts';
import type { Mask } from '../mask.ts';

const MIB = 1_048_576;

/** The maximum size of a log that was not asked for, and of all logs of a project, in bytes. */
export const [MAX_LOG, MAX_LOGS] = [16 * MIB, 256 * MIB] as const;

/** The log of one command, which gets its output. `end` must be called once, when all secrets are known. */
export type CommandLog = Readonly<{ path: string; add: (chunk: Buffer) => void; end: () => void; size: number }>;

/**
 * How output is stored: `masked` in whole lines without control characters, for agents; `whole`, all of it, or `limited`
 * to the beginning and the end, with the bytes that the command wrote, except for secrets.
 */
export type LogKind = 'masked' | 'whole' | 'limited';

/** The name of a log in place of a larger one that was removed. */
export function removedName(path: string): string {
  return path.replace(/\.log$/, '.removed');
}

/** Removes a log. An empty file remains in its place. */
export function removeLog(path: string): void {
  trySystemCall(() => {
    truncateSync(path);
    renameSync(path, removedName(path));
  });
}

/** Creates a directory. Returns the reason if there is something else in its place, such as a link to a directory. */
function makeDirectory(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) return stats.isDirectory() ? undefined : 'it is not a directory';
  mkdirSync(path, { mode: 0o700 });
  return undefined;
}

/** The logs of a session, in files `<start><number>.log`. */
export class StoredLogs {
  readonly directory: string;
  /** The first part of the paths of all logs: that of their directory, and the number of the session. */
  readonly start: string;
  readonly #kind: LogKind;
  readonly #mask: Mask;
  /** The sizes of the logs that count, oldest first. */
  readonly #sizes = new Map<string, number>();
  /** The size of all of them. */
  size = 0;
  /** Whether all output has been stored so far: no file could not be created or written. */
  isComplete = true;

  private constructor(directory: string, session: number, kind: LogKind, mask: Mask) {
    this.directory = directory;
    this.start = join(directory, `${session}-`);
    this.#kind = kind;
    this.#mask = mask;
  }

  /** Creates the directory of logs. Returns a text if that fails. */
  static in(directory: string, session: number, kind: LogKind, mask: Mask): StoredLogs | string {
    const problem = trySystemCall(() => makeDirectory(directory));
    return problem ?? new StoredLogs(directory, session, kind, mask);
  }

  /** Creates the log of a command. Undefined if that fails: without its log, the command runs all the same. */
  create(command: number, isHeld: boolean): CommandLog | undefined {
    const path = `${this.start}${command}.log`;
    const descriptor = trySystemCall(() => openSync(path, 'wx+', 0o600));
    if (typeof descriptor === 'string') {
      this.isComplete = false;
      return undefined;
    }
    if (this.#kind === 'masked') {
      const log = new MaskedLog(descriptor, this.#mask, isHeld);
      const add = (chunk: Buffer): void => {
        this.size += chunk.length;
        log.add(chunk);
      };
      // Agents get the output, not the path.
      return { path, add, end: () => log.end(), size: 0 };
    }
    const log = new StoredLog(descriptor, this.#mask, this.#kind === 'whole' ? Infinity : MAX_LOG);
    return {
      path,
      add: (chunk) => {
        if (!log.add(chunk)) this.isComplete = false;
      },
      end: () => {
        log.end();
        closeSync(descriptor);
        this.#count(path, log.size);
      },
      get size() {
        return log.size;
      },
    };
  }

  /** Removes the oldest logs of this session if all together are too large and were not asked for. */
  #count(path: string, size: number): void {
    this.#sizes.set(path, size);
    this.size += size;
    if (this.#kind !== 'limited') return;
    for (const [oldest, removed] of this.#sizes) {
      if (this.size <= MAX_LOGS) return;
      removeLog(oldest);
      this.#sizes.delete(oldest);
      this.size -= removed;
    }
  }
}
