import { existsSync, lstatSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { DEFAULT_FILE } from '../../command_line/default_file.ts';
import type { Options } from '../../command_line/parse.ts';
import { findDirectory } from '../../driver/find_directory.ts';
import { readRegular } from '../../driver/read_file.ts';
import { readWorkflow } from '../../driver/include/read_workflow.ts';
import { fileScopes } from '../../frontend/lint/scopes.ts';

/** Directories whose changes are ignored, including the records of runs and steps. */
const IGNORED = ['node_modules', '.git', join('.cli', 'runs'), join('.cli', 'state')];

/** The paths named on the command line, with an error for each missing one. */
export function namedPaths({ lists }: Options): Readonly<{ paths: readonly string[]; problems: readonly string[] }> {
  const paths = lists.get('watch') ?? [];
  const missing = paths.filter((path) => !existsSync(path));
  return {
    paths: paths.map((path) => resolve(path)),
    problems: missing.map((path) => `cannot watch ${path}: it does not exist`),
  };
}

/** The workflow file and the files that it names, which may not exist. */
export async function ownFiles({ file, values }: Options): Promise<readonly string[]> {
  const directory = values.has('file') ? process.cwd() : (findDirectory(process.cwd()) ?? process.cwd());
  const path = resolve(directory, values.has('file') ? file : DEFAULT_FILE);
  const read = readRegular(path);
  if (!read.ok) return [path];
  const { file: parsed, included, unread } = await readWorkflow(read.value, path);
  const scopes = parsed === undefined ? [] : [parsed, ...fileScopes(parsed), ...parsed.workflows.values()];
  const named = [...included.map((each) => each.path), ...unread, ...scopes.flatMap(({ dotenv }) => dotenv)];
  return [path, ...new Set(named.map((each) => resolve(directory, each)))];
}

/** The files that a run writes. */
export function writtenFiles(
  { values, lists }: Options,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const runs = env['CLI_RUNS_DIR'];
  const paths = [...(lists.get('report') ?? []), values.get('events'), runs === '' ? undefined : runs];
  return paths.flatMap((path) => (path === undefined ? [] : [resolve(path)]));
}

/** Whether changes of a path below some roots are ignored. */
export function isIgnored(path: string, roots: readonly string[], written: readonly string[]): boolean {
  if (written.some((each) => path === each || path.startsWith(`${each}${sep}`))) return true;
  // A root inside of such a directory is watched on request.
  const above = roots.filter((root) => path === root || path.startsWith(`${root}${sep}`));
  return above.length > 0 && above.every((root) => hasIgnored(relative(root, path)));
}

/** Whether a path is a link that is not a root itself. One to a directory may lead anywhere, such as to `/`. */
export function isLinkBelow(path: string, roots: readonly string[]): boolean {
  return !roots.includes(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function hasIgnored(path: string): boolean {
  return IGNORED.some((each) => `${sep}${path}${sep}`.includes(`${sep}${each}${sep}`));
}
