import { statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { readGit, readGitObjects, withoutFilters } from '../../../backend/system/git.ts';
import type { ProgramOutput } from '../../../backend/system/run_program.ts';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { failure, type Result } from '../../../base/result.ts';
import { shellWord } from '../../../base/shell_word.ts';
import { createRedactor } from '../../command_line/redact.ts';
import { readRegular, withinLimits, type FileBytes } from '../read_file.ts';

/**
 * The absolute paths of all files that differ from the merge base with a revision: committed, staged or not, or
 * untracked; and of directories in which any file may differ. `base` is the id of the merge base.
 */
export type GitChanges = Readonly<{
  top: string;
  base: string;
  paths: ReadonlySet<string>;
  directories: readonly string[];
}>;

/** The mode of a submodule in a tree. */
const SUBMODULE = '160000';

/** Reads the changes since the merge base of HEAD and a revision, in four processes. */
export function readChanges(revision: string): Result<GitChanges> {
  const found = findBase(revision);
  if (!found.ok) return found;
  const { top, base } = found.value;
  const without = withoutFilters();
  if (!without.ok) return failure(`--since: ${without.problems.join('; ')}`);
  const options = ['--raw', '-z', '--no-abbrev', '--no-renames', '--no-relative', '--no-ext-diff', '--no-textconv'];
  const tracked = outputOf(readGit(...without.value, 'diff', ...options, '--ignore-submodules=dirty', base, '--'));
  const untracked = outputOf(readGit('ls-files', '-z', '--others', '--exclude-standard', '--full-name', '--', ':/'));
  if (!tracked.ok) return tracked;
  if (!untracked.ok) return untracked;
  const paths = new Set<string>();
  const directories = submodulesOf(top);
  // Each change is a line with modes, and a path.
  const words = tracked.value.split('\0');
  for (let index = 0; index + 1 < words.length; index += 2) {
    const path = join(top, words[index + 1] ?? '');
    paths.add(path);
    if (words[index]?.includes(SUBMODULE) === true) directories.push(path);
  }
  for (const path of untracked.value.split('\0')) {
    if (path === '') continue;
    // Another repository, whose files are not listed.
    if (path.endsWith('/')) directories.push(join(top, path.slice(0, -1)));
    else paths.add(join(top, path));
  }
  return { ok: true, value: { top, base, paths, directories } };
}

/** Reads files as they are in a commit, in one process. Each name leads to the file from the current directory. */
export function readFilesAt({ top, base }: GitChanges, names: readonly string[]): ReadonlyMap<string, FileBytes> {
  const known = new Map<string, FileBytes>();
  const asked = names.filter((name) => !name.includes('\n'));
  const objectOf = (name: string): string => `${base}:${relative(top, resolve(name))}`;
  const output = outputOf(readGitObjects(asked.map((name) => `${objectOf(name)}\n`).join('')));
  let rest = Buffer.from(output.ok ? output.value : '');
  for (const name of asked) {
    const end = rest.indexOf('\n');
    const [, kind, size] = rest.subarray(0, end).toString().split(' ');
    if (kind !== 'blob') {
      rest = rest.subarray(end + 1);
      known.set(name, failure('it is not there'));
    } else {
      known.set(name, withinLimits(rest.subarray(end + 1, end + 1 + Number(size))));
      rest = rest.subarray(end + 1 + Number(size) + 1);
    }
  }
  return known;
}

/** The work tree, and the merge base of HEAD and a revision. */
function findBase(revision: string): Result<Pick<GitChanges, 'top' | 'base'>> {
  const quoted = createRedactor([revision])(revision);
  if (revision.startsWith('-')) return failure(`--since: ${quoted} is no revision`);
  const read = readGit('rev-parse', '--show-toplevel', '--is-shallow-repository', `${revision}...HEAD`, '--');
  if (!read.ok) return failure(`--since needs Git: ${read.problems.join('; ')}`);
  const { stdout, stderr, exitCode } = read.value;
  const [, top, shallow, ids = ''] = /^([^]+)\n(true|false)\n([^]*)$/.exec(stdout) ?? [];
  if (top === undefined) {
    const reason = stderr.trim().split('\n', 1)[0] ?? '';
    return failure(`--since needs the work tree of a Git repository (${reason})`, 'to make one: git init');
  }
  const isShallow = shallow === 'true';
  if (exitCode !== 0 || !/^[0-9a-f]{40}/.test(ids))
    return failure(`--since: there is no revision ${quoted} here`, `to fetch it: ${fetchCommand(revision, isShallow)}`);
  const [base] = /(?<=^\^)[0-9a-f]+$/m.exec(ids) ?? [];
  if (base !== undefined) return { ok: true, value: { top, base } };
  if (isShallow)
    return failure(
      `--since: this clone is shallow, and lacks the commit that HEAD and ${quoted} have in common`,
      'to fetch it: git fetch --unshallow',
    );
  return failure(
    `--since: the histories of HEAD and ${quoted} have no commit in common`,
    'to list the commits of HEAD: git log --oneline',
  );
}

function fetchCommand(revision: string, isShallow: boolean): string {
  const depth = isShallow ? ['--unshallow'] : [];
  const [, branch] = /^origin\/([\w./-]+)$/.exec(revision) ?? [];
  const what = branch === undefined ? ['--tags', 'origin'] : ['origin', `+${branch}:refs/remotes/origin/${branch}`];
  return ['git', 'fetch', ...depth, ...what].map(shellWord).join(' ');
}

/**
 * The submodules that are checked out. Git does not look into them here, because they have settings of their own, which
 * may name programs.
 */
function submodulesOf(top: string): string[] {
  const text = readRegular(join(top, '.gitmodules'));
  if (!text.ok) return [];
  return [...text.value.toString().matchAll(/^\s*path\s*=\s*"?(.+?)"?\s*$/gm)]
    .map(([, path = '']) => join(top, path))
    .filter((path) => typeof trySystemCall(() => statSync(join(path, '.git'))) !== 'string');
}

/** The output of a Git process, or the first line of its error. */
function outputOf(output: ProgramOutput): Result<string> {
  if (!output.ok) return failure(`--since: ${output.problems.join('; ')}`);
  const { exitCode, stdout, stderr } = output.value;
  return exitCode === 0 ? { ok: true, value: stdout } : failure(`--since: ${stderr.trim().split('\n', 1)[0] ?? ''}`);
}
