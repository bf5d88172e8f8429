import { closeSync, constants, lstatSync, mkdirSync, openSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { trySystemCall } from '../../system/try_system_call.ts';
import { writeBytes } from '../../system/write.ts';
import { endOfPart, maskBytes } from './mask_file.ts';
import { StoredLog } from './stored_log.ts';
import { MaskedLog } from './masked_log.ts';
import type { Mask } from '../value_mask.ts';

const MIB = 1_048_576;

const LF = 10;

/** The maximum size of a log that was not asked for, and of all logs of a project, in bytes. */
export const [MAX_LOG, MAX_LOGS] = [16 * MIB, 256 * MIB] as const;

/**
 * The log of one command, which gets its output. `end` must be called once, when all secrets are known. After it, `add` is
 * for what processes print that the command has left. It returns whether the log has taken the chunk.
 */
export type CommandLog = Readonly<{ path: string; add: (chunk: Buffer) => boolean; end: () => void; size: number }>;

/** The size of a line from which on it is not held until its end, in bytes. */
const LONG_LINE = 65_536;

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
  /** The beginnings of lines that were printed after the end of a command, by the paths of logs. */
  readonly #late = new Map<string, Buffer>();

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
    const isMasked = this.#kind === 'masked';
    const log = isMasked
      ? new MaskedLog(descriptor, this.#mask, isHeld)
      : new StoredLog(descriptor, this.#mask, this.#kind === 'whole' ? Infinity : MAX_LOG);
    let isOpen = true;
    return {
      path,
      add: (chunk) => {
        if (!isOpen) return log.takes(chunk.length) && this.#addLate(path, chunk);
        log.add(chunk);
        this.isComplete &&= !log.isFull;
        return !log.isFull;
      },
      end: () => {
        isOpen = false;
        log.end();
        closeSync(descriptor);
        this.isComplete &&= !log.isFull;
        if (log.isFull && log.size === 0) trySystemCall(() => rmSync(path));
        this.#count(path, log.size);
      },
      get size() {
        // Agents get the output, not the path.
        return isMasked ? 0 : log.size;
      },
    };
  }

  /** Stores the rest of what came late. */
  close(): void {
    for (const [path, rest] of this.#late) this.#append(path, rest);
    this.#late.clear();
  }

  /** Appends to a log, with secrets replaced: whole lines, except for long ones. */
  #addLate(path: string, chunk: Buffer): boolean {
    const bytes = Buffer.concat([this.#late.get(path) ?? Buffer.alloc(0), chunk]);
    const last = bytes.lastIndexOf(LF) + 1;
    const isLong = bytes.length - last > LONG_LINE;
    const end = this.#mask.longest === 0 ? bytes.length : isLong && last === 0 ? endOfPart(bytes, this.#mask) : last;
    this.#late.set(path, bytes.subarray(end));
    return this.#append(path, bytes.subarray(0, end));
  }

  #append(path: string, bytes: Buffer): boolean {
    if (bytes.length === 0) return true;
    // Not created: it may have been removed.
    const descriptor = trySystemCall(() =>
      openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW),
    );
    if (typeof descriptor === 'string') return false;
    const problem = writeBytes(descriptor, maskBytes(bytes, this.#mask) ?? bytes);
    closeSync(descriptor);
    this.isComplete &&= problem === undefined;
    return problem === undefined;
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
