import { lstatSync, readdirSync, statSync, type Dirent } from 'node:fs';
import { trySystemCall } from '../backend/system/try_system_call.ts';
import { below, isBelow, leftOutName, type Pattern } from './patterns.ts';
import { systemPath, textOfName } from './path_bytes.ts';

/**
 * The files that patterns match: absolute paths in order, and by path the last pattern that matches. `unmatched` are the
 * patterns that match none, and `unreadable` the directories that could not be read, with the system's reason.
 */
export type FoundFiles = Readonly<{
  paths: readonly string[];
  patterns: ReadonlyMap<string, Pattern>;
  unmatched: readonly string[];
  unreadable: ReadonlyMap<string, string>;
}>;

/** How a directory stands to a pattern: the pattern matches it or one above it, is blocked by it, or may match below it. */
const [OPEN, MATCHED, BLOCKED] = [0, 1, 2];

/** Finds the files that patterns match. Does not enter directories behind symbolic links, except for the bases. */
export function findFiles(patterns: readonly Pattern[]): FoundFiles {
  return new Finder(patterns).find();
}

/** A function for whether the last of the patterns that match a file includes it. */
export function matcherOf(patterns: readonly Pattern[]): (path: string) => boolean {
  const finder = new Finder(patterns);
  let last: Readonly<{ directory: string; states: readonly number[] }> = { directory: '', states: [] };
  return (path) => {
    const directory = directoryOf(path);
    if (last.directory !== directory) last = { directory, states: finder.statesAt(directory) };
    return finder.decide(path, last.states) !== undefined;
  };
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

class Finder {
  readonly #patterns: readonly Pattern[];
  readonly #found = new Map<string, Pattern>();
  readonly #matched = new Set<Pattern>();
  readonly #visited = new Set<string>();
  readonly #unreadable = new Map<string, string>();

  constructor(patterns: readonly Pattern[]) {
    this.#patterns = patterns;
  }

  find(): FoundFiles {
    for (const { base, excludes } of this.#patterns) if (!excludes) this.#start(base);
    const paths = [...this.#found.keys()].toSorted();
    const included = this.#patterns.filter(({ excludes }) => !excludes);
    const unmatched = included.filter((each) => !this.#matched.has(each)).map(({ written }) => written);
    return { paths, patterns: this.#found, unmatched, unreadable: this.#unreadable };
  }

  /** Visits a base. A link in its place is followed. */
  #start(base: string): void {
    const target = trySystemCall(() => statSync(systemPath(base), { throwIfNoEntry: false }));
    if (typeof target === 'object' && target.isDirectory()) return this.#visit(base, this.statesAt(base));
    const own = trySystemCall(() => lstatSync(systemPath(base), { throwIfNoEntry: false }));
    if (typeof own === 'string') this.#unreadable.set(base, own);
    else if (own !== undefined) this.#add(base, own, this.statesAt(directoryOf(base)));
  }

  /** The states of the patterns in a directory. */
  statesAt(directory: string): number[] {
    return this.#patterns.map((pattern) => {
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
    });
  }

  #visit(directory: string, states: readonly number[]): void {
    if (this.#visited.size === this.#visited.add(directory).size) return;
    const entries = trySystemCall(() => entriesOf(directory));
    if (typeof entries === 'string') {
      this.#unreadable.set(directory, entries);
      return;
    }
    for (const entry of entries) {
      const { name } = entry;
      const path = `${directory === '/' ? '' : directory}/${name}`;
      if (!entry.isDirectory()) this.#add(path, entry, states);
      else {
        const inner = states.map((state, index) => {
          const pattern = this.#patterns[index];
          return pattern === undefined || !isBelow(pattern.base, path) ? OPEN : enter(pattern, state, path, true);
        });
        if (this.#mayMatchBelow(path, inner)) this.#visit(path, inner);
      }
    }
  }

  #mayMatchBelow(directory: string, states: readonly number[]): boolean {
    return this.#patterns.some(({ excludes, base, depth }, index) => {
      if (excludes || states[index] === BLOCKED || !isBelow(base, directory)) return false;
      return states[index] === MATCHED || below(base, directory).split('/').length < depth;
    });
  }

  #add(path: string, entry: Pick<Dirent, 'isFile' | 'isSymbolicLink'>, states: readonly number[]): void {
    // Pipes, sockets and devices are no files.
    if (!entry.isFile() && !entry.isSymbolicLink()) return;
    const pattern = this.decide(path, states);
    if (pattern !== undefined) this.#found.set(path, pattern);
  }

  /** The last pattern that matches a file, if it includes it. */
  decide(path: string, states: readonly number[]): Pattern | undefined {
    let last: Pattern | undefined;
    let index = -1;
    for (const pattern of this.#patterns) {
      index += 1;
      const state = states[index];
      if (state === BLOCKED || (state !== MATCHED && !isMatch(pattern, path))) continue;
      last = pattern;
      if (!pattern.excludes) this.#matched.add(pattern);
    }
    return last === undefined || last.excludes ? undefined : last;
  }
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
