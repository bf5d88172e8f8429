import { existsSync, lstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep, dirname } from 'node:path';
import type { Options } from '../../command_line/parse_command_line.ts';
import { findDirectory, directoriesOfRepository } from '../../driver/find_directory.ts';
import { readRegular } from '../../driver/read_file.ts';
import { readWorkflow } from '../../driver/include/read_workflow.ts';
import { fileScopes } from '../../../frontend/lint/scopes.ts';
import type { Plan } from '../../../ir/plan.ts';
import { stateDirectory } from '../../../records/journal/directory/entries.ts';
import { matcherOf } from '../../../records/up_to_date/find_files.ts';
import { isBelow, parsePatterns } from '../../../records/up_to_date/patterns.ts';
import ignore from 'ignore';
import { PATTERN_LIMIT } from '../../../base/pattern_limit.ts';

type Rules = ReturnType<typeof ignore>;

/** The files that the `.gitignore` files of the repository around a root name. */
class GitIgnored {
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

/** Directories whose changes are ignored, including the records of runs and steps. */
const IGNORED = new Set(['node_modules', '.git', '.cli']);

/** The paths named on the command line, with an error for each missing one. */
export function namedPaths({
  watch: paths,
}: Options): Readonly<{ paths: readonly string[]; problems: readonly string[] }> {
  const missing = paths.filter((path) => !existsSync(path));
  return {
    paths: paths.map((path) => resolve(path)),
    problems: missing.map((path) => `cannot watch ${path}: it does not exist`),
  };
}

/** The workflow file and the files that it names, which may not exist. `dotenvFilesOf` adds chosen dotenv files. */
export async function ownFiles({ file, isFileNamed }: Options): Promise<readonly string[]> {
  const directory = isFileNamed ? process.cwd() : (findDirectory(process.cwd()) ?? process.cwd());
  const path = resolve(directory, file);
  const read = readRegular(path);
  if (!read.ok) return [path];
  const { file: parsed, included, unread } = await readWorkflow(read.value, path);
  const scopes = parsed === undefined ? [] : [parsed, ...fileScopes(parsed), ...parsed.workflows.values()];
  const dotenv = scopes.flatMap((each) => each.dotenv.flatMap((path) => (path.variables ? [] : path.text)));
  const named = [...included.map((each) => each.path), ...unread, ...dotenv];
  return [path, ...new Set(named.map((each) => resolve(directory, each)))];
}

/** The dotenv files of a linked plan, in its directory. */
export function dotenvFilesOf({ frames }: Plan): readonly string[] {
  return frames.flatMap(({ dotenv = [] }) => dotenv.map(({ path }) => resolve(path)));
}

/** The files and directories in which a run writes, or what their paths begin with. */
function writtenFiles(
  { report, events }: Options,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const paths = [
    ...report,
    events,
    env['CLI_RUNS_DIR'],
    env['GITHUB_STEP_SUMMARY'],
    stateDirectory(env, 'runs'),
    stateDirectory(env, 'state'),
  ];
  return paths.flatMap((path) => (path === undefined || path === '' ? [] : [resolve(path)]));
}

/** The beginnings of the paths of a run's temporary directories. */
const TEMPORARY = ['cli-output-', 'cli-pipes-'].map((name) => join(tmpdir(), name));

/** A function for whether a path is a file that steps of a plan generate. For the directory of the plan's file. */
export async function generatedBy({ ops }: Plan): Promise<(path: string) => boolean> {
  const matchers: ReturnType<typeof matcherOf>[] = [];
  for (const [index, condition] of ops.entries()) {
    const op = ops[index + 1];
    if (condition.kind !== 'condition' || condition.test.kind !== 'stale' || op?.kind !== 'run') continue;
    const written = condition.test.generates.map(({ text }) => text);
    matchers.push(matcherOf(await parsePatterns(written, resolve(op.dir ?? '.')), []));
  }
  return (path) => matchers.some((matches) => matches(path));
}

/** The changes that start no run. */
export class IgnoredPaths {
  readonly #roots: readonly string[];
  readonly #written: readonly string[];
  #git: readonly GitIgnored[] = [];
  #own: ReadonlySet<string> = new Set();
  #isGenerated: (path: string) => boolean = () => false;

  constructor(roots: readonly string[], options: Options, env: Readonly<Record<string, string | undefined>>) {
    this.#roots = roots;
    this.#written = writtenFiles(options, env);
  }

  /** Before each run: the workflow, included and dotenv files, never ignored, and the files of the steps. */
  update(own: readonly string[], isGenerated: ((path: string) => boolean) | undefined): void {
    this.#own = new Set(own);
    this.#isGenerated = isGenerated ?? this.#isGenerated;
    this.#git = this.#roots.map((root) => new GitIgnored(root));
  }

  /** Whether a changed file is ignored. */
  has(path: string): boolean {
    return this.isUnwatched(path, false) || (!this.#own.has(path) && this.#isGenerated(path));
  }

  /** Whether a file or directory is not watched. */
  isUnwatched(path: string, isDirectory: boolean): boolean {
    if (this.#written.some((each) => isBelow(each, path))) return true;
    if (TEMPORARY.some((each) => path.startsWith(each))) return true;
    if (this.#own.has(path)) return false;
    // A root inside of such a directory is watched on request.
    const above = this.#roots.filter((root) => isBelow(root, path));
    if (above.length === 0) return false;
    if (isDirectory && isLinkBelow(path, this.#roots)) return true;
    return above.every((root) => {
      const git = this.#git.find((each) => each.root === root);
      return hasIgnored(relative(root, path)) || git?.has(path, isDirectory) === true;
    });
  }
}

/** Whether a path is a link that is not a root itself. One to a directory may lead anywhere, such as to `/`. */
function isLinkBelow(path: string, roots: readonly string[]): boolean {
  return !roots.includes(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function hasIgnored(path: string): boolean {
  return path.split(sep).some((name) => IGNORED.has(name));
}
