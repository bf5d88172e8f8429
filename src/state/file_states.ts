import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  statSync,
  type Stats,
} from 'node:fs';
import { turn } from '../backend/system/sleep.ts';
import { trySystemCall } from '../backend/system/try_system_call.ts';
import { systemPath } from './path_bytes.ts';

/** The size, times in milliseconds and inode of a file, which change with its content. */
export type Stamp = readonly [size: number, modified: number, changed: number, inode: number];

/**
 * The state of a file. `content` is the digest of its content, and of the text of a link. `stamp` is null if the content
 * may change without it.
 */
export type FileState = Readonly<{ content: string; executable: boolean; stamp: Stamp | null }>;

/** The age in milliseconds from which on a later change of a file has another time. */
const SETTLED = 2000;

/** The size of a read, and the number of bytes after which other work has its turn. */
const [CHUNK, TURN] = [262_144, 4_194_304];

/** The number of files after which other work has its turn. */
const FILES = 500;

/** Reads the states of files. Contents are read again only if they may have changed. */
export class FileStates {
  readonly #known = new Map<string, FileState>();
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK);
  #bytes = 0;
  #files = 0;

  /** Adds the state of a file from a record, unless a newer one is known. */
  learn(path: string, state: FileState): void {
    if (!this.#known.has(path)) this.#known.set(path, state);
  }

  /** The state of a file; undefined if there is none, and the system's reason if it cannot be read. */
  async of(path: string): Promise<FileState | string | undefined> {
    this.#files += 1;
    if (this.#files % FILES === 0 || this.#bytes > TURN) await this.#pause();
    const read = trySystemCall(() => this.#read(path));
    // A file that vanishes meanwhile is missing.
    const state = read === 'it does not exist' ? undefined : read;
    if (typeof state === 'object') this.#known.set(path, state);
    return state;
  }

  async #pause(): Promise<void> {
    this.#bytes = 0;
    await turn();
  }

  #read(path: string): FileState | undefined {
    const name = systemPath(path);
    const own = lstatSync(name, { throwIfNoEntry: false });
    if (own === undefined) return undefined;
    if (own.isSymbolicLink()) return this.#link(path, name);
    return own.isFile() ? this.#file(path, own, '') : { content: 'no file', executable: false, stamp: null };
  }

  #link(path: string, name: string | Buffer): FileState {
    const text = createHash('sha256').update(readlinkSync(name, 'buffer')).digest('hex');
    const target = trySystemCall(() => statSync(name, { throwIfNoEntry: false }));
    if (typeof target === 'object' && target.isFile()) return this.#file(path, target, `${text} `);
    return { content: text, executable: false, stamp: null };
  }

  /** The state of a regular file. `link` is the digest of the link that leads to it, with a blank. */
  #file(path: string, stats: Stats, link: string): FileState {
    const known = this.#known.get(path);
    const executable = (stats.mode & constants.S_IXUSR) !== 0;
    const stamp = stampOf(stats);
    if (known !== undefined && known.stamp !== null && isSame(known.stamp, stamp) && known.content.startsWith(link)) {
      const isLink = known.content.includes(' ');
      if (isLink === (link !== '')) return known.executable === executable ? known : { ...known, executable };
    }
    const before = Date.now();
    const { O_RDONLY, O_NONBLOCK } = constants;
    const descriptor = openSync(systemPath(path), O_RDONLY | O_NONBLOCK);
    try {
      const content = `${link}${this.#digest(descriptor)}`;
      const after = stampOf(fstatSync(descriptor));
      const isSettled = before - stats.ctimeMs >= SETTLED && isSame(stamp, after);
      return { content, executable, stamp: isSettled ? stamp : null };
    } finally {
      closeSync(descriptor);
    }
  }

  #digest(descriptor: number): string {
    const hash = createHash('sha256');
    for (;;) {
      const size = readSync(descriptor, this.#buffer, 0, CHUNK, null);
      if (size === 0) return hash.digest('hex');
      this.#bytes += size;
      hash.update(this.#buffer.subarray(0, size));
    }
  }
}

function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats): Stamp {
  return [size, mtimeMs, ctimeMs, ino];
}

export function isSame(one: Stamp, other: Stamp): boolean {
  return one.every((value, index) => value === other[index]);
}
