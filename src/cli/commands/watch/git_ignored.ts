import { dirname, join, relative } from 'node:path';
import ignore from 'ignore';
import { PATTERN_LIMIT } from '../../../base/pattern_limit.ts';
import { directoriesOfRepository } from '../../driver/find_directory.ts';
import { readRegular } from '../../driver/read_file.ts';
import { isBelow } from '../../../records/up_to_date/patterns.ts';

type Rules = ReturnType<typeof ignore>;

/** The files that the `.gitignore` files of the repository around a root name. */
export class GitIgnored {
  readonly root: string;
  /** The root of the repository; undefined outside of one, and for a root that is ignored itself. */
  readonly #top: string | undefined;
  /** The rules of each directory; undefined without a `.gitignore`. */
  readonly #rules = new Map<string, Rules | undefined>();
  /** Whether a directory is ignored. */
  readonly #directories = new Map<string, boolean>();

  constructor(root: string) {
    this.root = root;
    this.#top = directoriesOfRepository(root)?.at(-1);
    if (this.#isInside(root)) this.#top = undefined;
  }

  /** Whether a path is ignored, or a directory around it. */
  has(path: string, isDirectory: boolean): boolean {
    if (this.#top === undefined || path === this.#top || !isBelow(this.#top, path)) return false;
    return isDirectory ? this.#isInside(path) : this.#isInside(dirname(path)) || this.#decide(path, '');
  }

  /** Whether a directory or one around it is ignored. */
  #isInside(directory: string): boolean {
    if (this.#top === undefined || directory === this.#top || !isBelow(this.#top, directory)) return false;
    const known = this.#directories.get(directory);
    if (known !== undefined) return known;
    const isIgnored = this.#isInside(dirname(directory)) || this.#decide(directory, '/');
    this.#directories.set(directory, isIgnored);
    return isIgnored;
  }

  /** The verdict of the nearest directory with a rule for a path. */
  #decide(path: string, end: '' | '/'): boolean {
    for (let directory = dirname(path); ; directory = dirname(directory)) {
      const found = this.#rulesOf(directory)?.test(relative(directory, path) + end);
      if (found?.ignored === true || found?.unignored === true) return found.ignored;
      if (directory === this.#top) return false;
    }
  }

  #rulesOf(directory: string): Rules | undefined {
    if (this.#rules.has(directory)) return this.#rules.get(directory);
    const read = readRegular(join(directory, '.gitignore'));
    // A longer line names no file, and its expression may not compile.
    const lines = read.ok ? String(read.value).split(/\r?\n/) : undefined;
    const patterns = lines?.filter(({ length }) => length <= PATTERN_LIMIT);
    const rules = patterns && ignore({ ignorecase: false }).add(patterns);
    this.#rules.set(directory, rules);
    return rules;
  }
}
