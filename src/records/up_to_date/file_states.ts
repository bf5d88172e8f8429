import { createHash, hash } from 'node:crypto';
import { closeSync, constants, lstatSync, readlinkSync, readSync, statSync, type Stats } from 'node:fs';
import { openRegular } from '../../backend/system/regular_file.ts';
import { turn } from '../../backend/system/sleep.ts';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { EXECUTABLE, FileTable, UNSETTLED } from './file_table.ts';
import { systemPath } from './path_bytes.ts';

/** The age in milliseconds from which on a later change of a file has another time. */
const SETTLED = 2000;

/** The size of a read, and the number of bytes after which other work has its turn. */
const [CHUNK, TURN] = [262_144, 4_194_304];

/** The number of files after which other work has its turn. */
const FILES = 2000;

/** Reads the states of files. Contents are read again only if they may have changed since a known state. */
export class FileStates {
  /** The settled files whose contents were read. */
  readonly #read = new FileTable();
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK);
  #bytes = 0;
  #files = 0;

  /** Whether other work should have its turn. */
  get isLong(): boolean {
    return this.#files > FILES || this.#bytes > TURN;
  }

  async pause(): Promise<void> {
    [this.#files, this.#bytes] = [0, 0];
    await turn();
  }

  /** Adds the state of a file to a table. Returns the system's reason if it does not exist or cannot be read. */
  add(path: string, into: FileTable, known: FileTable | undefined): string | undefined {
    this.#files += 1;
    return trySystemCall(() => {
      const name = systemPath(path);
      const own = lstatSync(name);
      if (own.isFile()) return this.#addFile(path, own, '', into, known);
      if (own.isSymbolicLink()) return this.#addLink(path, own, into, known);
      into.add(path, 'no file', UNSETTLED, own);
      return undefined;
    });
  }

  #addLink(path: string, own: Stats, into: FileTable, known: FileTable | undefined): string | undefined {
    const name = systemPath(path);
    const text = hash('sha256', readlinkSync(name, 'buffer'), 'hex');
    const target = trySystemCall(() => statSync(name, { throwIfNoEntry: false }));
    if (typeof target === 'object' && target.isFile()) return this.#addFile(path, target, `${text} `, into, known);
    into.add(path, text, UNSETTLED, own);
    return undefined;
  }

  /** Adds a regular file. `link` is the digest of the link that leads to it, with a blank. */
  #addFile(
    path: string,
    stats: Stats,
    link: string,
    into: FileTable,
    known: FileTable | undefined,
  ): string | undefined {
    const executable = (stats.mode & constants.S_IXUSR) === 0 ? 0 : EXECUTABLE;
    for (let table = known ?? this.#read; ; table = this.#read) {
      const index = table.indexOf(path, into.paths.length);
      const content = table.contents[index] ?? '';
      const isLinked = content.startsWith(link) && content.includes(' ') === (link !== '');
      if (index !== -1 && isLinked && table.isSettled(index) && table.hasStamps(index, stats)) {
        into.add(table.paths[index] ?? path, content, executable | table.rewritten(index), stats);
        return undefined;
      }
      if (table === this.#read) break;
    }
    const isSettled = Date.now() - stats.ctimeMs >= SETTLED;
    const descriptor = openRegular(systemPath(path));
    if (typeof descriptor === 'string') return descriptor;
    const content = `${link}${this.#digest(descriptor, stats.size)}`;
    // A change since the stamps were read has given the file others.
    into.add(path, content, executable | (isSettled ? 0 : UNSETTLED), stats);
    if (isSettled) this.#read.add(path, content, executable, stats);
    return undefined;
  }

  /** Reads and closes a file. */
  #digest(descriptor: number, expected: number): string {
    try {
      const first = this.#readInto(descriptor);
      // Most files are small, and nothing is left to read.
      if (first === expected && first < CHUNK) return hash('sha256', this.#buffer.subarray(0, first), 'hex');
      const whole = createHash('sha256');
      for (let size = first; size > 0; size = this.#readInto(descriptor)) whole.update(this.#buffer.subarray(0, size));
      return whole.digest('hex');
    } finally {
      closeSync(descriptor);
    }
  }

  #readInto(descriptor: number): number {
    const size = readSync(descriptor, this.#buffer, 0, CHUNK, null);
    this.#bytes += size;
    return size;
  }
}
