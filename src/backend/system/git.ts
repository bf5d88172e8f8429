import { failure, type Result } from '../../base/result.ts';
import { runProgram, type ProgramOutput } from './run_program.ts';

/** The time after which a repository is given up: its files may be pipes, which never answer. */
const TIME_LIMIT = 10_000;

/** Without the programs that the settings of any repository may name, and without writing to its index. */
const INERT = ['--no-optional-locks', '-c', 'core.fsmonitor=', '-c', 'core.hooksPath=/dev/null'];

/** Objects that a repository lacks are not fetched: its settings name the programs that fetch. */
const NO_FETCH = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: '' };

/** Settings of the user, as opposed to those of the repository. */
const USER_SCOPES: ReadonlySet<string> = new Set(['system', 'global', 'command']);

/** Reads a repository. Runs nothing from it, because an archive may contain one. */
export function readGit(...args: readonly string[]): ProgramOutput {
  return runProgram('git', [...INERT, ...args], { env: NO_FETCH, timeout: TIME_LIMIT });
}

/** Settings without the filters that the repository itself defines: a file with such a filter counts as changed if its time or size has changed. */
export function withoutFilters(): Result<readonly string[]> {
  const settings = readGit('config', '-z', '--show-scope', '--get-regexp', String.raw`^filter\.`);
  // The exit code is 1 if no setting matches.
  if (!settings.ok) return settings;
  const { exitCode, stdout, stderr } = settings.value;
  if (exitCode !== 0 && exitCode !== 1) return failure(stderr.trim());
  const filters = filtersOf(stdout);
  if (filters.some((filter) => filter.includes('='))) return failure('the name of a filter contains =');
  return { ok: true, value: filters.flatMap(settingsWithout) };
}

/**
 * Runs `git status` without the filters of the repository. Changes inside of submodules, which have settings of their own,
 * are not read.
 */
export function readGitStatus(...args: readonly string[]): ProgramOutput {
  const without = withoutFilters();
  if (!without.ok) return without;
  return readGit(...without.value, 'status', '--porcelain=v2', '--branch', '--ignore-submodules=dirty', ...args);
}

/** Reads objects of a repository, each by a line of `input`, as `git cat-file --batch` prints them. */
export function readGitObjects(input: string): ProgramOutput {
  return runProgram('git', [...INERT, 'cat-file', '--batch'], { env: NO_FETCH, timeout: TIME_LIMIT, input });
}

/** Settings that turn a filter off. */
function settingsWithout(filter: string): readonly string[] {
  return ['clean=', 'process=', 'required=false'].flatMap((setting) => ['-c', `${filter}.${setting}`]);
}

/** The filters that the repository defines, of pairs of a scope and a setting, each ended by a NUL. */
function filtersOf(settings: string): readonly string[] {
  const words = settings.split('\0');
  const names = words.flatMap((setting, index) => {
    const isForeign = index % 2 === 1 && !USER_SCOPES.has(words[index - 1] ?? '');
    return isForeign ? [setting.replace(/\n[^]*$/, '').replace(/\.[^.]*$/, '')] : [];
  });
  return [...new Set(names)];
}
