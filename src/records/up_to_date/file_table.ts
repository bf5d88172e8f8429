import type { Stats } from 'node:fs';

/** Properties that change with the content of a file. */
type FileStamps = Pick<Stats, 'size' | 'mtimeMs' | 'ctimeMs' | 'ino'>;

/** The number of stamps of a file: flags, size, times of its last modification and change in milliseconds, inode. */
const STRIDE = 5;

/**
 * Flags of a file. The content of an unsettled one may change without a change of its stamps. A rewritten one is a source
 * that its step writes each time, with the content that it has.
 */
export const [EXECUTABLE, UNSETTLED, REWRITTEN] = [1, 2, 4];

/** The stamps of a file that is like no other. */
const UNREADABLE = [UNSETTLED, -1, 0, 0, 0];

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
    this.#indexes?.set(path, this.paths.length);
    this.paths.push(path);
    this.contents.push('');
    this.stamps.push(...UNREADABLE);
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
    const content = this.contents[index];
    return content !== '' && content === other.contents[there] && (own & EXECUTABLE) === (flags & EXECUTABLE);
  }

  /** Whether a file of another table has the same stamps. */
  hasStampsOf(index: number, other: FileTable, there: number): boolean {
    const [at, from] = [index * STRIDE, there * STRIDE];
    for (let column = 1; column < STRIDE; column += 1) {
      if (this.stamps[at + column] !== other.stamps[from + column]) return false;
    }
    return true;
  }

  /** The flag of a file that its step rewrites, or 0. */
  rewritten(index: number): number {
    return (this.stamps[index * STRIDE] ?? 0) & REWRITTEN;
  }

  /**
   * Makes each file that has changed since an earlier state like no other: what a step has read of it is not known, even if
   * the change is undone later. A file with the same content is taken as unchanged if it was also written during the run
   * before, whose table is `last`: then its step writes it.
   */
  forgetChanges(before: FileTable, last: FileTable | undefined): void {
    const count = this.paths.length;
    for (let index = 0; index < count; index += 1) {
      const path = this.paths[index] ?? '';
      const there = before.indexOf(path, index);
      const isSame = there !== -1 && this.isSame(index, before, there);
      if (isSame && this.hasStampsOf(index, before, there)) continue;
      const known = isSame && last !== undefined ? last.indexOf(path, index) : -1;
      if (known !== -1 && (last?.contents[known] === '' || last?.rewritten(known) === REWRITTEN))
        this.stamps[index * STRIDE] = (this.stamps[index * STRIDE] ?? 0) | REWRITTEN;
      else this.#forget(index);
    }
    for (const path of before.paths) if (this.indexOf(path, -1) === -1) this.addUnreadable(path);
  }

  #forget(index: number): void {
    this.contents[index] = '';
    for (const [column, value] of UNREADABLE.entries()) this.stamps[index * STRIDE + column] = value;
  }
}
