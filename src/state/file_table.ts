import type { Stats } from 'node:fs';

/** What changes with the content of a file. */
type FileStamps = Pick<Stats, 'size' | 'mtimeMs' | 'ctimeMs' | 'ino'>;

/** The number of stamps of a file: flags, size, times of its last modification and change in milliseconds, inode. */
const STRIDE = 5;

/** Flags of a file. The content of an unsettled one may change without a change of its stamps. */
export const [EXECUTABLE, UNSETTLED] = [1, 2];

/**
 * The states of files by their paths, which are relative to the current directory where that is possible. `contents` are
 * digests of their contents, and of the texts of links. In columns, without an object for each file: there can be many.
 */
export class FileTable {
  readonly paths: string[];
  readonly contents: string[];
  readonly stamps: number[];
  #indexes: Map<string, number> | undefined;

  constructor(paths: string[] = [], contents: string[] = [], stamps: number[] = []) {
    this.paths = paths;
    this.contents = contents;
    this.stamps = stamps;
  }

  /** Whether each file has a content and stamps. */
  get isWhole(): boolean {
    return this.contents.length === this.paths.length && this.stamps.length === this.paths.length * STRIDE;
  }

  add(path: string, content: string, flags: number, { size, mtimeMs, ctimeMs, ino }: FileStamps): void {
    this.#indexes?.set(path, this.paths.length);
    this.paths.push(path);
    this.contents.push(content);
    this.stamps.push(flags, size, mtimeMs, ctimeMs, ino);
  }

  /** Adds a file that cannot be read, which is like no other. */
  addUnreadable(path: string): void {
    this.add(path, '', UNSETTLED, { size: -1, mtimeMs: 0, ctimeMs: 0, ino: 0 });
  }

  /** The index of a file, -1 if there is none. `guess` is where it probably is. */
  indexOf(path: string, guess: number): number {
    if (this.paths[guess] === path) return guess;
    this.#indexes ??= new Map(this.paths.map((each, index) => [each, index]));
    return this.#indexes.get(path) ?? -1;
  }

  /** Whether a file has the stamps that it has now. */
  hasStamps(index: number, { size, mtimeMs, ctimeMs, ino }: Stats): boolean {
    const { stamps } = this;
    const at = index * STRIDE;
    return (
      stamps[at + 1] === size && stamps[at + 2] === mtimeMs && stamps[at + 3] === ctimeMs && stamps[at + 4] === ino
    );
  }

  isSettled(index: number): boolean {
    return ((this.stamps[index * STRIDE] ?? UNSETTLED) & UNSETTLED) === 0;
  }

  /** Whether a file of another table has the same content and executable bit. */
  isSame(index: number, other: FileTable, there: number): boolean {
    const [own = 0, flags = 0] = [this.stamps[index * STRIDE], other.stamps[there * STRIDE]];
    return this.contents[index] === other.contents[there] && (own & EXECUTABLE) === (flags & EXECUTABLE);
  }

  /** Whether the stamps of a file are settled and differ from those in another table. */
  hasNewStamps(index: number, other: FileTable, there: number): boolean {
    if (!this.isSettled(index)) return false;
    if (!other.isSettled(there)) return true;
    const [at, from] = [index * STRIDE, there * STRIDE];
    for (let column = 1; column < STRIDE; column += 1) {
      if (this.stamps[at + column] !== other.stamps[from + column]) return true;
    }
    return false;
  }
}
