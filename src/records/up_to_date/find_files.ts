import { lstatSync, readdirSync, statSync, type Dirent } from 'node:fs';
import { basename, dirname, relative } from 'node:path';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { below, isBelow, leftOutName, type Pattern } from './patterns.ts';
import { systemPath, textOfName } from './path_bytes.ts';

/**
 * The files that patterns match, in order, by their paths in records, messages and system calls: relative to the current
 * directory, or absolute if they are outside of it and match an absolute pattern. `unmatched` are the patterns that match
 * none, and `unreadable` the directories that could not be read, with the system's reason.
 */
export type FoundFiles = Readonly<{
  paths: readonly string[];
  unmatched: readonly string[];
  unreadable: ReadonlyMap<string, string>;
}>;

/** How a directory stands to a pattern: the pattern matches it or one above it, is blocked by it, or may match below it. */
const [OPEN, MATCHED, BLOCKED] = [0, 1, 2];

/** A directory as a pattern sees it: the part of its path below the base, and the name of the base, if they are there. */
type View = Readonly<{ state: number; below: string | undefined; base: string | undefined }>;

/** `shown` is the beginning of the paths of its files, in the current directory. */
type Directory = Readonly<{ path: string; shown: string | undefined; views: readonly View[] }>;

/**
 * Finds the files that some patterns match and others do not. Does not enter directories behind symbolic links, except for
 * the bases.
 */
export function findFiles(patterns: readonly Pattern[], others: readonly Pattern[] = []): FoundFiles {
  return new Finder(patterns, others).find();
}

/** A function for whether some patterns match a file, by its absolute path, and others do not. */
export function matcherOf(patterns: readonly Pattern[], others: readonly Pattern[]): (path: string) => boolean {
  const finder = new Finder(patterns, others);
  return (path) => finder.decide(finder.directoryAt(dirname(path)), basename(path)) !== undefined;
}

class Finder {
  readonly #patterns: readonly Pattern[];
  /** The number of patterns before those whose files are left out. */
  readonly #count: number;
  readonly #current = process.cwd();
  readonly #found: string[] = [];
  readonly #matched = new Set<Pattern>();
  readonly #visited = new Set<string>();
  readonly #unreadable = new Map<string, string>();

  constructor(patterns: readonly Pattern[], others: readonly Pattern[]) {
    this.#patterns = [...patterns, ...others];
    this.#count = patterns.length;
  }

  find(): FoundFiles {
    const included = this.#patterns.slice(0, this.#count).filter(({ excludes }) => !excludes);
    for (const { base } of included) this.#start(base);
    // A base that is a file may be in another base.
    const paths = [...(included.length > 1 ? new Set(this.#found) : this.#found)].toSorted();
    const unmatched = included.filter((each) => !this.#matched.has(each)).map(({ written }) => written);
    return { paths, unmatched, unreadable: this.#unreadable };
  }

  /** Visits a base. A link in its place is followed. */
  #start(base: string): void {
    const target = trySystemCall(() => statSync(systemPath(base), { throwIfNoEntry: false }));
    if (typeof target === 'object' && target.isDirectory()) return this.#visit(this.directoryAt(base));
    const own = trySystemCall(() => lstatSync(systemPath(base), { throwIfNoEntry: false }));
    if (typeof own === 'string') this.#unreadable.set(base, own);
    else if (own !== undefined) this.#add(this.directoryAt(dirname(base)), basename(base), own);
  }

  directoryAt(path: string): Directory {
    return this.#directory(
      path,
      this.#patterns.map((pattern) => stateAt(pattern, path)),
    );
  }

  #directory(path: string, states: readonly number[]): Directory {
    const current = this.#current;
    const views = this.#patterns.map((pattern, index) => viewOf(pattern, path, states[index] ?? OPEN));
    return { path, shown: isBelow(current, path) ? prefix(current, path) : undefined, views };
  }

  #visit(directory: Directory): void {
    const { path: around, views } = directory;
    if (this.#visited.size === this.#visited.add(around).size) return;
    const entries = trySystemCall(() => entriesOf(around));
    if (typeof entries === 'string') {
      this.#unreadable.set(around, entries);
      return;
    }
    for (const entry of entries) {
      if (!entry.isDirectory()) this.#add(directory, entry.name, entry);
      else {
        const path = pathIn(directory, entry.name);
        const states = this.#patterns.map((pattern, index) => {
          return isBelow(pattern.base, path) ? enter(pattern, views[index]?.state ?? OPEN, path, true) : OPEN;
        });
        if (this.#mayMatchBelow(path, states)) this.#visit(this.#directory(path, states));
      }
    }
  }

  #mayMatchBelow(directory: string, states: readonly number[]): boolean {
    return this.#patterns.slice(0, this.#count).some(({ excludes, base, depth }, index) => {
      if (excludes || states[index] === BLOCKED || !isBelow(base, directory)) return false;
      return states[index] === MATCHED || below(base, directory).split('/').length < depth;
    });
  }

  #add(directory: Directory, name: string, entry: Pick<Dirent, 'isFile' | 'isSymbolicLink'>): void {
    // Pipes, sockets and devices are no files.
    if (!entry.isFile() && !entry.isSymbolicLink()) return;
    const pattern = this.decide(directory, name);
    if (pattern === undefined) return;
    if (directory.shown !== undefined) this.#found.push(`${directory.shown}${name}`);
    else {
      const path = pathIn(directory, name);
      this.#found.push(pattern.isAbsolute ? path : relative('.', path));
    }
  }

  /** The last of the patterns that match a file, if it includes it, and no other pattern does. */
  decide({ views }: Directory, name: string): Pattern | undefined {
    let last: Pattern | undefined;
    let isOther = false;
    let index = -1;
    for (const pattern of this.#patterns) {
      index += 1;
      const view = views[index];
      if (view === undefined || !isMatchIn(view, pattern, name)) continue;
      if (index >= this.#count) isOther = !pattern.excludes;
      else {
        last = pattern;
        if (!pattern.excludes) this.#matched.add(pattern);
      }
    }
    return last === undefined || last.excludes || isOther ? undefined : last;
  }
}

function pathIn({ path }: Directory, name: string): string {
  return `${path === '/' ? '' : path}/${name}`;
}

/** The state of a pattern in a directory. */
function stateAt(pattern: Pattern, directory: string): number {
  const { base } = pattern;
  if (!isBelow(base, directory)) return OPEN;
  const names = below(base, directory)
    .split('/')
    .filter((name) => name !== '');
  let [state, path] = [enter(pattern, OPEN, base, false), base];
  for (const name of names) {
    path = `${path === '/' ? '' : path}/${name}`;
    state = enter(pattern, state, path, true);
  }
  return state;
}

function viewOf({ base, rest }: Pattern, directory: string, state: number): View {
  return {
    state,
    below: rest !== null && isBelow(base, directory) ? prefix(base, directory) : undefined,
    base: base !== '/' && dirname(base) === directory ? basename(base) : undefined,
  };
}

/** The part of the paths in a directory that follows a base. */
function prefix(base: string, directory: string): string {
  return directory === base ? '' : `${below(base, directory)}/`;
}

/** Whether a pattern matches a file of a directory. */
function isMatchIn({ state, below: around, base }: View, { rest }: Pattern, name: string): boolean {
  if (state !== OPEN) return state === MATCHED;
  if (base === name) return rest === null || rest.test('');
  return around !== undefined && rest !== null && rest.test(`${around}${name}`);
}

/** Whether a pattern matches a path itself, rather than a directory around it. */
function isMatch({ base, rest }: Pattern, path: string): boolean {
  return rest === null ? path === base : isBelow(base, path) && rest.test(below(base, path));
}

/** The state of a pattern in a directory, from that in the directory around it. */
function enter(pattern: Pattern, around: number, path: string, isInside: boolean): number {
  const leftOut = isInside ? leftOutName(path) : undefined;
  if (around === BLOCKED || (leftOut !== undefined && !pattern.named.has(leftOut))) return BLOCKED;
  return around === MATCHED || isMatch(pattern, path) ? MATCHED : OPEN;
}

/** An entry of a directory, with its name as text. */
type Entry = Pick<Dirent, 'name' | 'isDirectory' | 'isFile' | 'isSymbolicLink'>;

function entriesOf(directory: string): readonly Entry[] {
  const path = systemPath(directory);
  const entries = readdirSync(path, { withFileTypes: true });
  if (!entries.some(({ name }) => name.includes('\uFFFD'))) return entries;
  // The engine of the executable does not return types together with names in bytes.
  return readdirSync(path, { encoding: 'buffer' }).flatMap((bytes) => {
    const name = textOfName(bytes);
    const entry = lstatSync(systemPath(`${directory}/${name}`), { throwIfNoEntry: false });
    return entry === undefined ? [] : [Object.assign(entry, { name })];
  });
}
